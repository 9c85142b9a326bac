#include "exec/gpu/persistent/step.h"

#include <algorithm>
#include <numeric>

namespace espalier::persistent {
namespace {

// The memory that rows occupy, `size` elements each.
struct Reach {
  const float* begin;
  long long stride, size;
  const float* end;
  Reach(const float* data, long long apart, unsigned rows, unsigned of_row)
      : begin(data), stride(apart), size(of_row), end(data + apart * (rows - 1) + of_row) {}
  bool meets(const Reach& other) const {
    if (begin >= other.end || other.begin >= end) return false;
    if (stride != other.stride || stride == 0) return true;
    const long long apart = ((other.begin - begin) % stride + stride) % stride;  // offset of columns in the same rows
    return apart < size || apart + other.size > stride;
  }
};
Reach reach_of_x(const OfferedProduct& p) { return {p.x, p.x_stride, p.rows, p.k}; }
Reach reach_of_out(const OfferedProduct& p) { return {p.out, p.out_stride, p.rows, p.n}; }

// Whether `data` is a column of the rows that begin at `of`.
bool same_rows(const float* data, long long stride, const float* of, long long stride_of, long long size) {
  return stride == stride_of && data >= of && data < of + size;
}

unsigned pieces(const Phase& p) { return ceil_div(p.size, p.tiles / p.parts * 8); }

bool is_at(const Part& p, const Operand& o) { return p.out == o.data && p.out_stride == o.stride; }

}  // namespace

void choose_tiles(Phase& p, unsigned blocks) {
  p.tiles = p.parts;
  while (p.tiles * 2 <= warps && pieces(p) * ceil_div(p.rows, 32) > blocks) p.tiles *= 2;
}
bool choose_kept_tiles(Phase& p, unsigned blocks) {
  p.tiles = p.parts;
  while (p.tiles * 2 <= warps && pieces(p) > blocks) p.tiles *= 2;
  return pieces(p) <= blocks;
}

void StepWriter::begin(float* base, std::span<const uint32_t> sources) {
  base_ = base;
  sources_ = sources;
  gathers_.clear();
  products_.clear();
  fused_.clear();
  operands_.clear();
  items_.clear();
}

void StepWriter::product(const OfferedProduct& product) {
  items_.push_back({true, products_.size()});
  products_.push_back(product);
}

void StepWriter::fused(const FusedKernel& fused, unsigned rows, std::span<const Operand> operands,
                       SaturatingMask shadowed) {
  items_.push_back({false, fused_.size()});
  fused_.push_back({&fused, rows, operands_.size(), shadowed});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
}

std::span<const Operand> StepWriter::operands_of(const OfferedFusedKernel& r) const {
  return std::span(operands_).subspan(r.first_operand, r.kernel->in.size() + r.kernel->out.size());
}

// ---- gathers whose sources are read directly

bool StepWriter::reads_sources(const OfferedGather& o, const OfferedProduct& p) const {
  const Gather& g = o.gather;
  const float* rows = base_ + g.out;
  const Reach gathered(rows, g.stride, g.rows, g.size);
  if (gathered.meets(reach_of_out(p))) return false;
  if (!gathered.meets(reach_of_x(p))) return true;
  // All gathered elements must be elements of x, and four are loaded at once.
  const bool inside = same_rows(rows, g.stride, p.x, p.x_stride, p.k) && rows + g.size <= p.x + p.k;
  if (!p.fast || !inside || g.rows != p.rows || g.size % 16 != 0 || (rows - p.x) % 16 != 0) return false;
  if (g.first_offset != ~0u) return false;
  return std::ranges::all_of(sources_.subspan(g.first_source, g.rows), [](uint32_t s) { return s * unit % 4 == 0; });
}

bool StepWriter::reads_sources(const OfferedGather& o, const OfferedFusedKernel& r) const {
  const Gather& g = o.gather;
  const float* rows = base_ + g.out;
  const Reach gathered(rows, g.stride, g.rows, g.size);
  const std::span<const Operand> all = operands_of(r);
  for (size_t k = 0; k < all.size(); ++k) {
    const bool result = k >= r.kernel->in.size();
    const unsigned size = !result && r.kernel->in[k].scalar ? 1 : r.kernel->size;
    if (!gathered.meets({all[k].data, all[k].stride, r.rows, size})) continue;
    const bool inside =
        same_rows(all[k].data, all[k].stride, rows, g.stride, g.size) && all[k].data + size <= rows + g.size;
    if (result || !inside || g.rows != r.rows) return false;
  }
  return true;
}

bool StepWriter::is_direct(const OfferedGather& g) const {
  return g.gather.rows > 0 && g.gather.size > 0 &&
         std::ranges::all_of(products_, [&](const OfferedProduct& p) { return reads_sources(g, p); }) &&
         std::ranges::all_of(fused_, [&](const OfferedFusedKernel& r) { return reads_sources(g, r); });
}

std::vector<StepWriter::Piece> StepWriter::pieces_of(const OfferedProduct& p) const {
  std::vector<Piece> pieces;
  for (const OfferedGather& g : gathers_)
    if (const float* rows = base_ + g.gather.out;
        g.direct && same_rows(rows, g.gather.stride, p.x, p.x_stride, p.k) &&
        Reach(rows, g.gather.stride, g.gather.rows, g.gather.size).meets(reach_of_x(p)))
      pieces.push_back({&g, static_cast<unsigned>(rows - p.x), static_cast<unsigned>(g.gather.size)});
  std::ranges::sort(pieces, {}, &Piece::first);
  std::vector<Piece> all;  // with the elements between them
  unsigned at = 0;
  for (const Piece& piece : pieces) {
    if (piece.first > at) all.push_back({nullptr, at, piece.first - at});
    all.push_back(piece);
    at = piece.first + piece.k;
  }
  if (at < p.k) all.push_back({nullptr, at, p.k - at});
  return all;
}

// ---- products in one phase

// The largest number of columns that divides all products into parts.
unsigned StepWriter::common_columns(std::span<const OfferedProduct* const> products) const {
  unsigned size = 0;
  for (const OfferedProduct* p : products) {
    size = std::gcd(size, p->n);
    for (const OfferedProduct* q : products)  // one may add to a part of another
      if (same_rows(p->out, p->out_stride, q->out, q->out_stride, q->n))
        size = std::gcd(size, static_cast<unsigned>(p->out - q->out));
  }
  return size;
}

StepWriter::Division StepWriter::divide(std::span<const OfferedProduct* const> products, unsigned size) const {
  struct Column {
    const OfferedProduct* product;
    unsigned first;  // column of the product
  };
  struct Sum {
    Part part;
    std::vector<Column> columns;
  };
  std::vector<Sum> sums;
  for (const OfferedProduct* p : products)
    for (unsigned c = 0; c < p->n; c += size) {
      const auto it = std::ranges::find_if(sums, [&](const Sum& s) {
        return p->adds && s.part.out == p->out + c && s.part.out_stride == p->out_stride;
      });
      if (it != sums.end()) {
        it->columns.push_back({p, c});
        it->part.flags &= ~(p->read_once ? 0u : unsigned{unseen});
        continue;
      }
      const unsigned flags = (p->adds ? unsigned{adds} : 0u) | (p->read_once ? unsigned{unseen} : 0u);
      sums.push_back({{p->out + c, p->out_stride, 0, 0, flags, 0}, {{p, c}}});
    }
  Division all;
  for (Sum& s : sums) {
    s.part.first_term = static_cast<unsigned>(all.terms.size());
    for (const Column& c : s.columns) {
      const OfferedProduct& p = *c.product;
      const unsigned w_stride = p.transposed ? p.n : p.k;
      for (const Piece& piece : pieces_of(p)) {
        const bool direct = piece.gather != nullptr;
        const size_t at =
            p.transposed ? size_t{piece.first} * w_stride + c.first : size_t{c.first} * w_stride + piece.first;
        all.terms.push_back({p.x + piece.first, direct ? 0 : p.x_stride, p.w + at, w_stride, piece.k,
                             direct ? piece.gather->gather.first_source : ~0u, 0});
        s.part.chunks += piece.k / 16;
      }
    }
    all.parts.push_back(s.part);
  }
  return all;
}

bool StepWriter::Division::fits() const {
  return parts.size() <= std::min(warps, max_parts) && terms.size() <= max_terms;
}

// Whether a product is independent of those in the group: it reads none of their results, and they read none of its
// result. If it adds to a result of theirs, it becomes a further term of that sum.
bool StepWriter::can_join(const OfferedProduct& p) const {
  for (const OfferedProduct* q : group_) {
    if (!p.fast || !q->fast || p.rows != q->rows || p.transposed != q->transposed) return false;
    if (reach_of_out(*q).meets(reach_of_x(p)) || reach_of_out(p).meets(reach_of_x(*q))) return false;
    if (reach_of_out(p).meets(reach_of_out(*q)) && (!p.adds || p.out_stride != q->out_stride)) return false;
  }
  std::vector<const OfferedProduct*> all = group_;
  all.push_back(&p);
  const unsigned size = common_columns(all);
  return size % 8 == 0 && divide(all, size).fits();
}

// Whether a fused kernel can run in the phase of the products: of their results, each block needs only the columns that
// it has computed itself.
bool StepWriter::can_follow(const OfferedFusedKernel& r) const {
  if (group_.empty() || !group_.front()->fast || group_.front()->rows != r.rows || r.kernel->size % 8 != 0)
    return false;
  for (const OfferedProduct* p : group_)
    if (p->n % r.kernel->size != 0) return false;
  if (common_columns(group_) % r.kernel->size != 0) return false;
  const Division division = divide(group_, r.kernel->size);
  if (!division.fits()) return false;
  const std::span<const Operand> all = operands_of(r);
  for (size_t k = 0; k < all.size(); ++k) {
    const bool result = k >= r.kernel->in.size(), scalar = !result && r.kernel->in[k].scalar;
    const Reach reach(all[k].data, all[k].stride, r.rows, scalar ? 1 : r.kernel->size);
    for (const OfferedProduct* p : group_) {
      if (result && (reach.meets(reach_of_x(*p)) || reach.meets(reach_of_out(*p)))) return false;
      if (result || !reach.meets(reach_of_out(*p))) continue;
      const bool part = std::ranges::any_of(division.parts, [&](const Part& q) { return is_at(q, all[k]); });
      if (scalar || !part) return false;
    }
  }
  return true;
}

// ---- phases

Phase& StepWriter::open_phase(Script& script, Kind kind, unsigned rows) {
  Phase p{};
  p.kind = kind;
  p.rows = rows;
  p.first_gather = static_cast<unsigned>(script.gathers.size());
  p.first_operand = static_cast<unsigned>(script.operands.size());
  p.first_part = static_cast<unsigned>(script.parts.size());
  p.first_term = static_cast<unsigned>(script.terms.size());
  if (!std::exchange(copied_, true))
    for (const OfferedGather& g : gathers_)
      if (g.direct && g.stays) script.gathers.push_back(g.gather);
  p.gathers = static_cast<unsigned>(script.gathers.size()) - p.first_gather;
  return script.phases.emplace_back(p);
}

void StepWriter::write_fused(const OfferedFusedKernel& r, std::span<const Part> near_parts, Script& script,
                             Phase& phase) {
  Function function{r.kernel, {}, r.shadowed};
  const std::span<const Operand> all = operands_of(r);
  for (size_t k = 0; k < all.size(); ++k) {
    Operand o = all[k];
    Access access = Access::strided;
    if (k < r.kernel->in.size()) {
      for (const OfferedGather& g : gathers_)
        if (const float* rows = base_ + g.gather.out;
            g.direct && same_rows(o.data, o.stride, rows, g.gather.stride, g.gather.size)) {
          access = Access::gathered;
          o = {nullptr, o.data - rows, g.gather.first_source, g.gather.first_offset};
          break;
        }
      if (const auto part = std::ranges::find_if(near_parts, [&](const Part& q) { return is_at(q, o); });
          part != near_parts.end()) {
        access = Access::near;
        o = {nullptr, 0, static_cast<unsigned>(part - near_parts.begin()), 0};
      }
      function.access.push_back(access);
    }
    script.operands.push_back(o);
  }
  phase.operands = static_cast<unsigned>(all.size());
  auto it = std::ranges::find(script.functions, function);
  if (it == script.functions.end()) it = script.functions.insert(it, function);
  phase.function = static_cast<int>(it - script.functions.begin());
}

void StepWriter::close_group(Script& script, const OfferedFusedKernel* behind) {
  if (group_.empty()) return;
  const OfferedProduct& first = *group_.front();
  Phase& p = open_phase(script, product_phase, first.rows);
  if (first.transposed) p.flags |= transposed;
  if (first.fast) p.flags |= fast;
  if (behind != nullptr) p.flags |= with_fused;
  p.size = behind != nullptr ? behind->kernel->size : group_.size() == 1 ? first.n : common_columns(group_);
  Division division = divide(group_, p.size);
  for (Part& part : division.parts) {
    // Parts that only the fused kernel reads stay in shared memory.
    if (behind == nullptr ||
        std::ranges::none_of(operands_of(*behind), [&](const Operand& o) { return is_at(part, o); }))
      part.flags &= ~unsigned{unseen};
    p.chunks = std::max(p.chunks, part.chunks);
  }
  script.parts.insert(script.parts.end(), division.parts.begin(), division.parts.end());
  script.terms.insert(script.terms.end(), division.terms.begin(), division.terms.end());
  p.parts = static_cast<unsigned>(division.parts.size());
  p.terms = static_cast<unsigned>(division.terms.size());
  if (first.fast) choose_tiles(p, blocks_);
  if (behind != nullptr) write_fused(*behind, division.parts, script, p);
  group_.clear();
}

void StepWriter::write(Script& script, unsigned blocks) {
  blocks_ = blocks;
  copied_ = true;
  group_.clear();
  bool gathers_first = false;
  for (OfferedGather& g : gathers_) g.direct = is_direct(g);
  for (const OfferedProduct& p : products_)
    if (pieces_of(p).size() > max_terms)
      for (OfferedGather& g : gathers_) g.direct = false;
  for (const OfferedGather& g : gathers_) gathers_first = gathers_first || !g.direct;
  if (gathers_first || items_.empty()) {
    Phase& p = open_phase(script, gather_phase, 0);
    for (const OfferedGather& g : gathers_)
      if (!g.direct || (items_.empty() && g.stays)) script.gathers.push_back(g.gather);
    p.gathers = static_cast<unsigned>(script.gathers.size()) - p.first_gather;
    if (p.gathers == 0) script.phases.pop_back();
  }
  copied_ = items_.empty();
  for (const Item& item : items_) {
    if (item.is_product) {
      const OfferedProduct& p = products_[item.which];
      if (!group_.empty() && !can_join(p)) close_group(script, nullptr);
      group_.push_back(&p);
      continue;
    }
    const OfferedFusedKernel& r = fused_[item.which];
    if (can_follow(r)) {
      close_group(script, &r);
      continue;
    }
    close_group(script, nullptr);
    write_fused(r, {}, script, open_phase(script, fused_phase, r.rows));
  }
  close_group(script, nullptr);
}

}  // namespace espalier::persistent
