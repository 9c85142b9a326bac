// A stack LSTM: an LSTM whose steps can be undone.
#pragma once
#include <memory>

#include <espalier/nn/recurrent/lstm.h>

namespace espalier::nn {

// Dyer et al. 2015, section 2: push is a step of the LSTM from the state on top, pop returns to the state below.
// Parameters of lstm as in LSTM; empty [h] is the top of an empty stack.
struct ESPALIER_API StackLSTM {
  LSTM lstm;
  Parameter empty;
  StackLSTM(Scope scope, int in, int hidden);

  // One stack of one example. The module and the graph must outlive it. A copy is a fork (for beam search): it copies a
  // pointer and a position, and shares all states. Forks of a stack must be used in one thread.
  class ESPALIER_API Stack {
   public:
    Stack(const StackLSTM& module, Expr bottom);
    void push(Expr x, ESPALIER_AT);  // records one call, whatever the size
    void pop(ESPALIER_AT);           // records nothing. IndexError if empty
    Expr top() const;                // h
    size_t size() const;

   private:
    struct Entry {
      State state;
      size_t below, size;
    };
    const StackLSTM* module_;
    std::shared_ptr<std::vector<Entry>> entries_;  // shared by all forks; entries are immutable
    size_t top_ = 0;                               // entry 0 is the empty stack
  };
  Stack start(Graph& g, ESPALIER_AT) const;
};

}  // namespace espalier::nn
