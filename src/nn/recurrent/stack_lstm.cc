#include <espalier/nn/recurrent/stack_lstm.h>

namespace espalier::nn {

StackLSTM::StackLSTM(Scope p, int in, int hidden)
    : lstm(p, in, hidden), empty(p.add("empty", {hidden}, init::constant(0))) {}
StackLSTM::Stack StackLSTM::start(Graph& g, Where at) const { return {*this, row(g, empty, at)}; }

StackLSTM::Stack::Stack(const StackLSTM& module, Expr bottom)
    : module_(&module), entries_(std::make_shared<std::vector<Entry>>(1, Entry{{bottom, {}}, 0, 0})) {}

void StackLSTM::Stack::push(Expr x, Where at) {
  const Entry below = (*entries_)[top_];
  entries_->push_back({module_->lstm(x, below.size > 0 ? below.state : State{}, at), top_, below.size + 1});
  top_ = entries_->size() - 1;
}
void StackLSTM::Stack::pop(Where at) {
  if (size() == 0) throw IndexError("StackLSTM: pop of an empty stack; it must hold a row" + str(at));
  top_ = (*entries_)[top_].below;
}
Expr StackLSTM::Stack::top() const { return (*entries_)[top_].state.h; }
size_t StackLSTM::Stack::size() const { return (*entries_)[top_].size; }

}  // namespace espalier::nn
