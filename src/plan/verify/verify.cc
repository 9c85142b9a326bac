#include <fmt/format.h>

#include "plan/verify/verifier.h"

namespace espalier {

void verify(const Plan& plan, const Layout& layout, const GraphTape& tape, std::span<const uint32_t> keep) {
  Verifier(plan, layout, tape, keep).run();
}

void Verifier::run() {
  if (layout_.batches.empty()) return;
  if (plan_.first_batch < layout_.batches.size()) start_ = plan_.first_batch;  // a forward plan
  freed_.assign(layout_.bases.size() - layout_.batches[start_].first_base, 0);
  count_kernels();
  count_readers();
  count_accumulated_rows();
  for (const Fill& f : plan_.fills) {
    if (f.offset < plan_.bottom || f.offset >= plan_.elements) fail(-1, f.offset, "a fill is outside of the arena");
    written_.write({seed, 0, 0, 1, f.offset, unit}, {0, 1});
  }
  for (size_t i = 0; i < plan_.steps.size(); ++i) step(i);
  step_ = nullptr;
  check_kernel_counts();
  check_forward_end();
  final_gathers();
  for (size_t a = plan_.final_accumulations; a < plan_.accumulations.size(); ++a) accumulation(plan_.accumulations[a]);
  check_accumulated_rows();
}

void Verifier::step(size_t number) {
  number_ = number;
  step_ = &plan_.steps[number];
  const PlanStep& s = *step_;
  if (s.batch < layout_.batches.data() || s.batch >= layout_.batches.data() + layout_.batches.size() ||
      s.program != s.batch->program)
    fail(-1, 0, "it belongs to no cell batch of the layout");
  const bool is_recomputed = recomputes() && s.batch->recomputed;
  if (batch_of(s) < start_ || (s.backward == (batch_of(s) >= plan_.first_batch) && !is_recomputed))
    fail(-1, 0, "its cell batch belongs to another round");
  if (s.rows == 0 || s.first + s.rows > s.batch->rows) fail(-1, 0, "its rows are not rows of the cell batch");
  gathers_done_ = 0;
  is_in_place_.assign(s.program->code.buffers.size(), 0);
  check_bindings();
  if (!s.backward)
    gather_inputs();
  else if (!s.hoisted)
    pull_gradients();
  if (gathers_done_ != s.gathers)
    fail(-1, plan_.gathers[s.first_gather + gathers_done_].out, "a gather writes the rows of no input or output");
  const auto& all = s.backward ? s.program->code.backward : s.program->code.forward;
  s.each_kernel([&](const Kernel& k) {
    kernel(k);
    if (is_recomputed) return;
    ran_[first_ran_[batch_of(s) - start_] + static_cast<size_t>(&k - all.data())] += s.rows;
  });
  if (!s.hoisted) (is_recomputed ? recomputed_ : calls_ran_)[batch_of(s) - start_] += s.rows;
  for (uint32_t a = 0; a < s.accumulations; ++a) accumulation(plan_.accumulations[s.first_accumulation + a]);
  free_rows();
}

void Verifier::check_bindings() {
  const auto& buffers = step_->program->code.buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const Binding& bind = binding(b);
    const uint32_t rows = rows_in(b);
    if (bind.offset == no_offset || rows == 0) continue;
    if (bind.offset + (rows - 1) * bind.stride + buffers[b].size > plan_.elements)
      fail(static_cast<int64_t>(b), bind.offset, "its rows are outside of the arena");
    if (bind.stride % unit != 0 || (bind.offset % unit != 0 && buffers[b].inside < 0))
      fail(static_cast<int64_t>(b), bind.offset, "its rows are not aligned");
  }
}

void Verifier::kernel(const Kernel& k) {
  if (k.kind == Kernel::Kind::fused) return fused(k.fused);
  for (const RowsOf& r : k.in) read(r);
  if (k.adds) read(k.out);
  write(k.out);
}

// A fused backward kernel may compute gradients that are not requested, from rows that no kernel wrote. Results that
// depend on such rows count as not written.
void Verifier::fused(const FusedKernel& k) {
  std::vector<uint8_t> has_data(k.registers, 1);
  bool all = true;
  for (size_t i = 0; i < k.in.size(); ++i) {
    has_data[i] = !step_->backward || is_readable(k.in[i].rows);
    if (has_data[i] != 0)
      read(k.in[i].rows);
    else
      all = false;
  }
  if (!all)
    for (const Instruction& c : k.code)
      has_data[c.out] =
          c.primitive == Primitive::constant || (has_data[c.a] != 0 && has_data[c.b] != 0 && has_data[c.c] != 0);
  for (const FusedKernel::Out& r : k.out) write(r.rows, has_data[r.reg] != 0);
}

// Whether the rows hold data. Only gradient rows may lack it: kernels without a requested gradient do not run.
bool Verifier::is_readable(const RowsOf& rows) const {
  if (rows.kind != RowsOf::Kind::buffer) return true;
  const auto b = static_cast<size_t>(rows.which);
  const Buffer::Kind kind = step_->program->code.buffers[b].kind;
  if (kind != Buffer::Kind::din && kind != Buffer::Kind::dkept && kind != Buffer::Kind::dscratch) return true;
  return rows_in(b) == 0 ||
         (binding(b).offset != no_offset && !written_.missing(rows_of(b), {rows.offset, rows.offset + rows.size}));
}

void Verifier::read(const RowsOf& rows) {
  if (rows.kind != RowsOf::Kind::buffer || rows.size == 0) return;
  const auto b = static_cast<size_t>(rows.which);
  const Buffer& buffer = step_->program->code.buffers[b];
  if (rows_in(b) == 0 || is_in_place_[b]) return;
  if (binding(b).offset == no_offset) fail(rows.which, 0, "a kernel reads it, but it is not bound");
  const bool is_forward = buffer.kind == Buffer::Kind::input || buffer.kind == Buffer::Kind::output ||
                          buffer.kind == Buffer::Kind::kept || buffer.kind == Buffer::Kind::scratch;
  if (buffer.kind == Buffer::Kind::input && !layout_.inputs[step_->batch->first_input + buffer.which].gathered)
    read_in_place(static_cast<size_t>(buffer.which));
  else if (is_forward && is_kept_in_layout(b))
    expect_in_layout(b);
  else
    expect_written(rows_of(b), {rows.offset, rows.offset + rows.size}, rows.which);
}

// Whether the step reads rows of the buffer where an earlier round left them.
bool Verifier::is_kept_in_layout(size_t b) const {
  const Buffer& buffer = step_->program->code.buffers[b];
  if (buffer.kind == Buffer::Kind::input)
    return !step_->batch->deferred && !is_dropped(*step_->batch, b) && buffer.inside < 0 &&
           (recomputes() || step_->backward);
  return step_->backward && !is_dropped(*step_->batch, b) && !step_->batch->deferred;
}

void Verifier::write(const RowsOf& rows, bool has_data) {
  if (rows.kind != RowsOf::Kind::buffer || rows.size == 0) return;
  const auto b = static_cast<size_t>(rows.which);
  const Buffer::Kind kind = step_->program->code.buffers[b].kind;
  if (rows_in(b) == 0) return;
  const BufferRows to = rows_of(b);
  if (to.offset == no_offset) fail(rows.which, 0, "a kernel writes it, but it is not bound");
  const bool may = step_->backward
                       ? kind == Buffer::Kind::din || kind == Buffer::Kind::dkept || kind == Buffer::Kind::dscratch
                       : kind == Buffer::Kind::output || kind == Buffer::Kind::kept || kind == Buffer::Kind::scratch;
  if (!may) fail(rows.which, to.offset, "a kernel writes it, but only reads are allowed");
  if (to.stride != step_->program->code.buffers[b].stride)
    fail(rows.which, to.offset, "it is written at a wrong stride");
  if (!may_write(b, to.offset)) fail(rows.which, to.offset, "it overwrites rows of an earlier round");
  written_.write(to, {rows.offset, has_data ? rows.offset + rows.size : rows.offset});
}

void Verifier::count_kernels() {
  first_ran_.assign(layout_.batches.size() - start_, 0);
  calls_ran_.assign(layout_.batches.size() - start_, 0);
  recomputed_.assign(layout_.batches.size() - start_, 0);
  uint32_t n = 0;
  for (size_t i = 0; i < first_ran_.size(); ++i) {
    first_ran_[i] = n;
    const Code& code = layout_.batches[start_ + i].program->code;
    n += static_cast<uint32_t>(std::max(code.forward.size(), code.backward.size()));
  }
  ran_.assign(n, 0);
}

// Each kernel runs once for each row.
void Verifier::check_kernel_counts() const {
  std::vector<SaturatingMask> gradients(first_ran_.size());
  for (const PlanStep& s : plan_.steps) gradients[batch_of(s) - start_] |= s.gradient_mask;
  for (size_t i = 0; i < first_ran_.size(); ++i) {
    const CellBatch& batch = layout_.batches[start_ + i];
    const bool is_backward = start_ + i < plan_.first_batch;
    if (batch.deferred && (is_backward ? recomputed_ : calls_ran_)[i] != (is_backward ? batch.rows : 0))
      throw InternalError(fmt::format("this is a bug in espalier: plan: {} of {} deferred calls of cell '{}' run",
                                      is_backward ? recomputed_[i] : calls_ran_[i], batch.rows,
                                      str(batch.program->name)));
    if (!is_backward && !batch.deferred && calls_ran_[i] != batch.rows)
      throw InternalError(fmt::format("this is a bug in espalier: plan: cell '{}' runs for {} of {} calls",
                                      str(batch.program->name), calls_ran_[i], batch.rows));
    const auto& kernels = is_backward ? batch.program->code.backward : batch.program->code.forward;
    for (size_t k = 0; k < kernels.size(); ++k) {
      const uint32_t ran = ran_[first_ran_[i] + k];
      if (ran != calls_ran_[i] && (!is_backward || (kernels[k].gradient_mask & gradients[i]).any()))
        throw InternalError(
            fmt::format("this is a bug in espalier: plan: {} kernel {} of cell '{}' runs for {} of {} "
                        "calls",
                        is_backward ? "backward" : "forward", k, str(batch.program->name), ran, calls_ran_[i]));
    }
  }
}

uint32_t Verifier::first_row(size_t buffer) const {
  return layout_.first_in(*step_->batch, step_->program->code.buffers[buffer].space, step_->first);
}
uint32_t Verifier::rows_in(size_t buffer) const {
  const int space = step_->program->code.buffers[buffer].space;
  return layout_.first_in(*step_->batch, space, step_->first + step_->rows) - first_row(buffer);
}

// The rows of the step in a buffer, where they are bound.
BufferRows Verifier::rows_of(size_t buffer) const {
  const Binding& bind = binding(buffer);
  return {batch_of(*step_), static_cast<uint32_t>(buffer), first_row(buffer), rows_in(buffer), bind.offset,
          bind.stride};
}

// Rows of a batch where an earlier round left them.
BufferRows Verifier::in_layout(uint32_t batch, size_t buffer, uint32_t first, uint32_t rows) const {
  const CellBatch& of = layout_.batches[batch];
  const uint64_t base = layout_.base(of, static_cast<int>(buffer)), stride = of.program->code.buffers[buffer].stride;
  return {batch, static_cast<uint32_t>(buffer), first, rows, base == no_offset ? no_offset : base + first * stride,
          stride};
}

void Verifier::expect_in_layout(size_t buffer) {
  const BufferRows want = in_layout(batch_of(*step_), buffer, first_row(buffer), rows_in(buffer));
  const Binding& bind = binding(buffer);
  if (step_->program->code.buffers[buffer].kind == Buffer::Kind::scratch || want.end() > layout_.top)
    fail(static_cast<int64_t>(buffer), bind.offset, "the backward pass reads rows that lived within a forward step");
  if (bind.offset != want.offset || bind.stride != want.stride)
    fail(static_cast<int64_t>(buffer), bind.offset, fmt::format("the forward pass left its rows at {}", want.offset));
}

void Verifier::expect_written(const BufferRows& rows, Columns columns, int64_t reader) const {
  const std::optional<uint64_t> at = written_.missing(rows, columns);
  if (!at) return;
  const auto row = static_cast<uint32_t>(rows.first + (*at - rows.offset) / rows.stride);
  const std::optional<BufferRows> other = written_.at(*at);
  std::string why = name_of({rows.batch, rows.buffer, row, 1, *at, rows.stride}) + " is read, but ";
  if (!other)
    why += "was not written, or is freed";
  else if (other->batch == rows.batch && other->buffer == rows.buffer && other->first == row)
    why += fmt::format("elements {} to {} of it were not written", columns.begin, columns.end);
  else
    why += name_of(*other) + " is there";
  fail(reader, *at, why);
}

std::string Verifier::name_of(const BufferRows& row) const {
  if (row.batch == seed) return "the gradient of the losses";
  return fmt::format("row {} of buffer {} of cell '{}'", row.first, row.buffer,
                     str(layout_.batches[row.batch].program->name));
}

// The next gather of the step, if it writes these rows.
const Gather* Verifier::next_gather(uint64_t out, uint32_t rows) {
  if (gathers_done_ == step_->gathers) return nullptr;
  const Gather& g = plan_.gathers[step_->first_gather + gathers_done_];
  if (g.out != out || g.rows != rows) return nullptr;
  ++gathers_done_;
  return &g;
}

void Verifier::fail(int64_t buffer, uint64_t offset, const std::string& why) const {
  std::string s = "this is a bug in espalier: plan: ";
  if (step_ != nullptr) s += fmt::format("step {}, cell '{}', ", number_, str(step_->program->name));
  if (buffer >= 0) s += fmt::format("buffer {}, ", buffer);
  s += fmt::format("offset {}: {}", offset, why);
  if (step_ != nullptr) s += "\n" + print_step(plan_, layout_, number_);
  throw InternalError(s);
}

}  // namespace espalier
