#include <espalier/block/recursion.h>

#include <pthread.h>

#include "graph/tape.h"

namespace espalier::block::detail {
namespace {

constexpr uintptr_t reserve = 256 << 10;  // bytes of stack that whatever a block calls may need

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
    throw DataError("recursion: the example is more than " + levels(nesting) + "; fix and Forward take a max_depth" +
                    str(at));
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < stack_end() + reserve)
    throw DataError("recursion: the example is more than " + levels(nesting) +
                    ", which is all that the stack of this thread holds; a larger stack is needed (ulimit -s)" +
                    str(at));
  ++nesting;
}
Deeper::~Deeper() { --graph_.tape().nesting; }

void unresolved(bool gone, Where at) {
  throw GraphError(std::string(gone ? "Forward: it is gone, and with it the block that it was resolved to; keep it as "
                                      "long as its blocks"
                                    : "Forward: it is used before it was resolved; call resolve() first") +
                   str(at));
}

void check_declared(const Shapes& known, size_t rows, const Shape& declared, Where at) {
  if (!known) return;
  for (size_t i = 0; i < rows; ++i)
    if ((*known)[i] != declared) refuse_shape("fix", (*known)[i], declared, at);
}

}  // namespace espalier::block::detail
