// An LSTM along a stack: what was popped is forgotten.
#pragma once
#include <memory>

#include <espalier/nn/recurrent/lstm.h>

namespace espalier::nn {

// Dyer et al. 2015, section 2: push is a step of the LSTM from the state on top, pop goes back to the state below.
// Parameters of lstm as in LSTM; empty [h] is what the top of an empty stack reads as.
struct ESPALIER_API StackLSTM {
  LSTM lstm;
  Parameter empty;
  StackLSTM(Scope scope, int in, int hidden);

  // One stack of one example; it outlives neither the module nor the graph. A copy is a fork (beam search): it copies a
  // pointer and a position, and shares all states with the other. Forks belong to one thread.
  class ESPALIER_API Stack {
   public:
    Stack(const StackLSTM& module, Expr bottom);
    void push(Expr x, ESPALIER_AT);  // one call, whatever the size
    void pop(ESPALIER_AT);           // no call. IndexError: it is empty
    Expr top() const;                // h
    size_t size() const;

   private:
    struct Entry {
      State state;
      size_t below, size;
    };
    const StackLSTM* module_;
    std::shared_ptr<std::vector<Entry>> entries_;  // of all forks; an entry never changes
    size_t top_ = 0;                               // entry 0 is the empty stack
  };
  Stack start(Graph& g, ESPALIER_AT) const;
};

}  // namespace espalier::nn
