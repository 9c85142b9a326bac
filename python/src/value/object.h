// Owning references to Python objects, and the allocation of small objects from a free list.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstddef>
#include <utility>

namespace espalier::python {

// An owning reference. Copying and destroying it need the GIL.
class Ref {
 public:
  Ref() = default;
  static Ref steal(PyObject* object) { return Ref(object); }
  static Ref share(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Ref(PyObject* object) : object_(object) {}
  PyObject* object_ = nullptr;
};

// RAII: releases the GIL in this scope.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() { PyEval_RestoreThread(state_); }

 private:
  friend class Locked;
  PyThreadState* state_;
};

// RAII: holds the GIL again, within the scope of an Unlocked of the same thread.
class Locked {
 public:
  explicit Locked(Unlocked& unlocked) : unlocked_(unlocked) { PyEval_RestoreThread(unlocked_.state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { unlocked_.state_ = PyEval_SaveThread(); }

 private:
  Unlocked& unlocked_;
};

// Small objects of one type without Python members: freed ones are kept for the next allocation. Protected by the GIL.
template <class T>
class FreeList {
 public:
  T* take(PyTypeObject* type) {
    if (count_ == 0) return PyObject_New(T, type);
    T* const object = kept_[--count_];
    PyObject_Init(reinterpret_cast<PyObject*>(object), type);
    return object;
  }
  void give_back(T* object) {
    if (count_ < kept_.size())
      kept_[count_++] = object;
    else
      PyObject_Free(object);
  }

 private:
  std::array<T*, 1024> kept_{};
  size_t count_ = 0;
};

}  // namespace espalier::python
