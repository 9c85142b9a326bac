#include <espalier/block/recursion.h>

#include <pthread.h>

#include "graph/tape.h"

namespace espalier::block::detail {
namespace {

constexpr uintptr_t reserve = 256 << 10;  // bytes of stack kept free for the functions that a block calls

// The lowest address that the stack of this thread may reach.
uintptr_t stack_end() {
  thread_local const uintptr_t end = [] {
    pthread_attr_t attributes;
    void* low = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &low, &size);
      pthread_attr_destroy(&attributes);
    }
    return reinterpret_cast<uintptr_t>(low);
  }();
  return end;
}

std::string levels(uint32_t n) { return std::to_string(n) + " levels deep"; }

}  // namespace

Deeper::Deeper(const Graph& graph, int limit, Where at) : graph_(graph) {
  uint32_t& nesting = graph.tape().nesting;
  if (nesting >= static_cast<uint32_t>(limit))
    throw DataError("recursion: the example is more than " + levels(nesting) +
                    "; max_depth of fix or Forward sets the limit" + str(at));
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < stack_end() + reserve)
    throw DataError("recursion: the example is more than " + levels(nesting) +
                    ", and the stack of this thread is full; a larger stack is needed (ulimit -s)" + str(at));
  ++nesting;
}
Deeper::~Deeper() { --graph_.tape().nesting; }

void unresolved(std::string_view who, bool gone, Where at) {
  throw GraphError(std::string(who) +
                   (gone ? ": it was destroyed, and its block with it; it must outlive the blocks that use it"
                         : ": it is used before it is defined; use it after f has returned, or after resolve()") +
                   str(at));
}

void check_limit(std::string_view who, int max_depth, Where at) {
  if (max_depth < 1)
    throw GraphError(std::string(who) + ": max_depth = " + std::to_string(max_depth) + "; it must be at least 1" +
                     str(at));
}

void check_declared(std::string_view who, const Shapes& known, const Shape& declared, Where at) {
  if (!known) return;
  for (const Shape& shape : *known)
    if (shape != declared) refuse_shape(who, shape, declared, at);
}

}  // namespace espalier::block::detail
