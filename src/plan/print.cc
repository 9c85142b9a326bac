// A plan as text. Offsets, strides and sizes are in elements: `at 16 by 4` is a binding whose rows start at element 16
// and lie 4 elements apart. Sources that lie one gathered row apart are written first..last; in a sum, brackets
// enclose the sources of each row.
#include <fmt/format.h>

#include <iterator>

#include "plan/plan.h"

namespace espalier {
namespace {

const char* name_of(Buffer::Kind kind) {
  switch (kind) {
    case Buffer::Kind::input:
      return "input";
    case Buffer::Kind::output:
      return "output";
    case Buffer::Kind::kept:
      return "kept";
    case Buffer::Kind::dout:
      return "dout";
    case Buffer::Kind::din:
      return "din";
    case Buffer::Kind::dkept:
      return "dkept";
    case Buffer::Kind::scratch:
      return "scratch";
    case Buffer::Kind::dscratch:
      return "dscratch";
  }
  return "";
}

const char* name_of(Accumulation::Kind kind) {
  switch (kind) {
    case Accumulation::Kind::product:
      return "product";
    case Accumulation::Kind::sum:
      return "sum";
    case Accumulation::Kind::table:
      return "table";
  }
  return "";
}

std::string name_of(const Kernel& k) {
  if (k.kind == Kernel::Kind::fused) return fmt::format("fused {} over {}", k.fused.code.size(), k.fused.size);
  if (k.kind == Kernel::Kind::number) return "number";
  return (k.adds ? "+" : "") + std::string(k.op->doc.name);
}

class Printer {
 public:
  Printer(const Plan& plan, const Layout& layout) : plan_(plan), layout_(layout) {}

  std::string all() {
    put("plan: {} steps, {} elements ({} in regions, {} in scratch){}\n", plan_.steps.size(), plan_.elements,
        plan_.regions, plan_.scratch, plan_.infers ? ", rows reused" : "");
    for (const Fill& f : plan_.fills) put("fill {} with {}\n", f.offset, f.value);
    for (size_t i = 0; i < plan_.steps.size(); ++i) step(i);
    for (const Gather& g : plan_.final_gathers) gather("final gather", g);
    for (const WatchedRow& w : plan_.watched) {
      if (w.offset == no_offset)
        put("watched value {}: no loss depends on it\n", w.value);
      else
        put("watched value {} at {}\n", w.value, w.offset);
    }
    for (size_t a = plan_.final_accumulations; a < plan_.accumulations.size(); ++a)
      accumulation(plan_.accumulations[a]);
    return std::move(text_);
  }

  std::string one(size_t i) {
    step(i);
    return std::move(text_);
  }

 private:
  template <class... T>
  void put(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }

  void step(size_t number) {
    const PlanStep& s = plan_.steps[number];
    put("step {}: {}{} {}, rows {}+{} of {}", number, s.hoisted ? "hoisted " : "", s.backward ? "backward" : "forward",
        str(s.program->name), s.first, s.rows, s.batch->rows);
    if (const BatchRows* whole = scheduled(s); whole != nullptr && whole->rows != s.rows)
      put(", part of {}+{}", whole->first, whole->rows);
    text_ += '\n';
    for (uint32_t g = 0; g < s.gathers; ++g) gather("  gather", plan_.gathers[s.first_gather + g]);
    const auto& buffers = s.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b)
      if (const Binding& bind = plan_.bindings[s.first_binding + b]; bind.offset != no_offset) binding(s, b, bind);
    const char* before = "  run ";
    s.each_kernel([&](const Kernel& k) { put("{}{}", std::exchange(before, ", "), name_of(k)); });
    if (before[0] == ',') text_ += '\n';
    for (uint32_t a = 0; a < s.accumulations; ++a) {
      text_ += "  ";
      accumulation(plan_.accumulations[s.first_accumulation + a]);
    }
    for (uint32_t f = 0; f < s.freed; ++f)
      put("  free {}+{}\n", plan_.freed[s.first_freed + f].offset, plan_.freed[s.first_freed + f].size);
  }

  // The step of the schedule that the rows belong to; null for hoisted kernels, which run over the rows of all steps.
  const BatchRows* scheduled(const PlanStep& s) const {
    if (s.hoisted) return nullptr;
    for (const BatchRows& b : layout_.steps)
      if (&layout_.batches[b.batch] == s.batch && b.first <= s.first && s.first < b.first + b.rows) return &b;
    return nullptr;
  }

  void binding(const PlanStep& s, size_t b, const Binding& bind) {
    const Buffer& buffer = s.program->code.buffers[b];
    put("  b{} {}", b, name_of(buffer.kind));
    switch (buffer.kind) {
      case Buffer::Kind::input:
      case Buffer::Kind::din:
        put(" {}", s.program->rows[static_cast<size_t>(buffer.which)].name);
        break;
      case Buffer::Kind::output:
      case Buffer::Kind::dout:
        put(" {}", buffer.which);
        break;
      default:
        break;
    }
    put(" at {} by {}", bind.offset, bind.stride);
    if (buffer.inside >= 0) put(", in the rows of b{}", buffer.inside);
    if (buffer.space > call_space)
      put(", {} items", layout_.first_in(*s.batch, buffer.space, s.first + s.rows) -
                            layout_.first_in(*s.batch, buffer.space, s.first));
    text_ += '\n';
  }

  void gather(const char* what, const Gather& g) {
    put("{} {} rows of {} at {} by {} from", what, g.rows, g.size, g.out, g.stride);
    if (g.first_offset == ~uint32_t{0}) {
      text_ += ' ';
      sources(g.first_source, g.first_source + g.rows, g.stride);
    } else {
      for (uint32_t i = 0; i < g.rows; ++i) {
        const uint32_t* offset = &plan_.offsets[g.first_offset + i];
        text_ += " [";
        sources(g.first_source + offset[0], g.first_source + offset[1], g.stride);
        text_ += ']';
      }
    }
    text_ += '\n';
  }

  void sources(uint32_t begin, uint32_t end, uint64_t stride) {
    for (uint32_t i = begin; i < end;) {
      uint32_t last = i;
      const auto at = [&](uint32_t k) { return uint64_t{plan_.sources[k]} * unit; };
      while (last + 1 < end && at(last + 1) == at(last) + stride) ++last;
      put("{}{}", i == begin ? "" : " ", at(i));
      if (last > i) put("..{}", at(last));
      i = last + 1;
    }
  }

  void accumulation(const Accumulate& a) {
    put("accumulate {} {}: {} rows, dy of {} at {} by {}", name_of(a.kind), str((*a.parameter)->name), a.rows,
        a.dy_size, a.dy.offset, a.dy.stride);
    if (a.kind == Accumulation::Kind::product) put(", x of {} at {} by {}", a.n, a.x.offset, a.x.stride);
    if (a.kind == Accumulation::Kind::table) {
      text_ += ", into rows";
      for (uint32_t r = 0; r < a.rows; ++r) put(" {}", a.index != nullptr ? a.index[r] : a.literal);
    }
    text_ += '\n';
  }

  const Plan& plan_;
  const Layout& layout_;
  std::string text_;
};

}  // namespace

std::string print(const Plan& plan, const Layout& layout) { return Printer(plan, layout).all(); }
std::string print_step(const Plan& plan, const Layout& layout, size_t step) { return Printer(plan, layout).one(step); }

}  // namespace espalier
