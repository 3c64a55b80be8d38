#include <algorithm>
#include <cstring>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

constexpr int64_t kFarIndex = int64_t{1} << 31;
constexpr int64_t kByteGroup = 4;  // tiles of bytes read so many at once

// The dimension in which the load moves with the loop, by 1; nullopt if there are several or none.
std::optional<size_t> dimension_along(Expr load, const Loop& loop) {
  std::optional<size_t> found;
  for (size_t d = 0; d < load->indices.size(); d++) {
    if (!ir::depends_on(load->indices[d], loop.var.node())) continue;
    auto stride = ir::stride_of(load->indices[d], loop.var.node());
    if (found || !stride || !stride->is_constant(1)) return std::nullopt;
    found = d;
  }
  return found;
}

// One dimension of the left operand, from the first to the last position that is read.
struct Span {
  IndexExpr first, extent;
  bool guarded = false;
};

class Folding {
 public:
  Folding(Program& program, const LoopNest& nest, const Tuning& tuning)
      : program_(program), nest_(nest), tuning_(tuning) {}

  FusionDecision prepare() {
    view_ = view_of(nest_);
    if (!view_ || nest_.reduced.size() < 2 || !view_->batch.empty())
      return FusionDecision::no("the nest does not have this form");
    left_ = view_->left, right_ = view_->right;
    channel_ = nest_.reduced.back(), tap_ = nest_.reduced[nest_.reduced.size() - 2];
    const DType type = program_.buffer(left_->buffer).type;
    if (size_of(type) != 1 && type != DType::f32)
      return FusionDecision::no("the elements are neither bytes nor float32");
    const int64_t most = type == DType::f32 ? tuning_.folded_float_channels : tuning_.folded_byte_channels;
    if (!channel_.extent.is_constant() || channel_.extent.constant() > most || !tap_.extent.is_constant() ||
        tap_.extent.is_constant(1) || products() == 0)
      return FusionDecision::no("there are enough channels to fill a group, or only a single tap");
    if (program_.buffer(right_->buffer).kind != ir::BufferKind::constant || !right_->guards.empty() ||
        !right_->indirects.empty() || !left_->indirects.empty())
      return FusionDecision::no("an operand is read under a condition, or the weights are not constant");
    if (!find_dimensions()) return FusionDecision::no("taps and channels do not have dimensions of their own");
    return find_spans() ? FusionDecision::yes() : FusionDecision::no("the elements that are read are not known");
  }

  // The copy of the left operand, to run before the nest, which is changed.
  LoopNest apply(LoopNest& nest) {
    const IndexExpr joint = program_.index->loop("k", terms());
    BufferId padded = -1;
    LoopNest copy = copying(padded);
    const Expr left = load_padded(padded, joint), right = load_joined(joint);
    ir::Rewrite rewrite;
    rewrite.replace_load = [&](Expr load) { return load == left_ ? left : load == right_ ? right : nullptr; };
    nest.reductions[0].value = ir::rewrite(*program_.exprs, nest.reductions[0].value, rewrite);
    nest.reduced.pop_back();
    nest.reduced.back() = {joint, terms()};
    nest.roles.pop_back();
    return copy;
  }

 private:
  Program& program_;
  const LoopNest& nest_;
  const Tuning& tuning_;
  std::optional<ContractionView> view_;
  Expr left_ = nullptr, right_ = nullptr;
  Loop channel_, tap_;
  size_t left_channel_ = 0, left_tap_ = 0, right_channel_ = 0, right_tap_ = 0;
  std::vector<Span> spans_;

  int64_t products() const { return tap_.extent.constant() * channel_.extent.constant(); }
  // The extent of the joint axis: of bytes, whole groups, in which weights beyond the products are 0.
  int64_t terms() const {
    const bool bytes = size_of(program_.buffer(left_->buffer).type) == 1;
    return bytes ? pieces(products(), kByteGroup) * kByteGroup : products();
  }

  bool find_dimensions() {
    auto lc = dimension_along(left_, channel_), lt = dimension_along(left_, tap_);
    auto rc = dimension_along(right_, channel_), rt = dimension_along(right_, tap_);
    if (!lc || !lt || !rc || !rt || *lc == *lt || *rc == *rt) return false;
    left_channel_ = *lc, left_tap_ = *lt, right_channel_ = *rc, right_tap_ = *rt;
    return left_->indices[*lc] == channel_.var && right_->indices[*rc] == channel_.var &&
           right_->indices[*rt] == tap_.var && program_.buffer(left_->buffer).shape[*lc] == channel_.extent;
  }

  bool find_spans() {
    const auto& shape = program_.buffer(left_->buffer).shape;
    for (IndexExpr extent : shape) spans_.push_back({0, extent});
    for (const ir::Guard& g : left_->guards) {
      auto at = std::find(left_->indices.begin(), left_->indices.end(), g.index);
      if (at == left_->indices.end()) return false;
      const ir::IndexRange range = g.index.range();
      if (range.lo < -kFarIndex || range.hi > kFarIndex) return false;
      spans_[size_t(at - left_->indices.begin())] = {range.lo, range.hi - range.lo + 1, true};
    }
    if (const int64_t beyond = terms() - products(); beyond > 0) {
      Span& along = spans_[left_tap_];
      along = {along.first, along.extent + pieces(beyond, channel_.extent.constant()), true};
    }
    const Expr padding = left_->guards.empty() ? nullptr : left_->args[0];
    return !padding || is_one_value(padding);
  }

  // The indices with two of them joined as the last one, `a` outside of `b`.
  static std::vector<IndexExpr> joined(const std::vector<IndexExpr>& all, size_t a, size_t b, IndexExpr joint) {
    std::vector<IndexExpr> result;
    for (size_t d = 0; d < all.size(); d++)
      if (d != a && d != b) result.push_back(all[d]);
    result.push_back(joint);
    return result;
  }

  LoopNest copying(BufferId& padded) {
    const ir::Buffer source = program_.buffer(left_->buffer);
    LoopNest copy;
    copy.name = "pad";
    copy.origins = nest_.origins;
    std::vector<IndexExpr> shape, vars(spans_.size()), from(spans_.size());
    std::vector<ir::Guard> guards;
    auto add = [&](size_t d) {
      vars[d] = program_.index->loop("i", spans_[d].extent);
      copy.loops.push_back({vars[d], spans_[d].extent});
      from[d] = vars[d] + spans_[d].first;
      if (spans_[d].guarded) guards.push_back({from[d], 0, source.shape[d]});
    };
    for (size_t d = 0; d < spans_.size(); d++) {
      shape.push_back(spans_[d].extent);
      if (d != left_channel_ && d != left_tap_) add(d);
    }
    add(left_tap_), add(left_channel_);
    const IndexExpr channels = channel_.extent;
    padded = program_.add_buffer(source.name + ".padded", source.type,
                                 joined(shape, left_tap_, left_channel_, shape[left_tap_] * channels),
                                 ir::BufferKind::temporary);
    const Expr outside = left_->guards.empty() ? program_.exprs->zero(source.type) : left_->args[0];
    const Expr padding = guards.empty() ? nullptr : outside;
    const Expr value = program_.exprs->load(source.id, source.type, from, guards, padding);
    copy.stores.push_back(
        {padded, joined(vars, left_tap_, left_channel_, vars[left_tap_] * channels + vars[left_channel_]), value});
    return copy;
  }

  Expr load_padded(BufferId padded, IndexExpr joint) {
    std::vector<IndexExpr> at;
    for (size_t d = 0; d < spans_.size(); d++) at.push_back(left_->indices[d] - spans_[d].first);
    const IndexExpr start = (at[left_tap_] - tap_.var) * channel_.extent;
    return program_.exprs->load(padded, program_.buffer(padded).type,
                                joined(at, left_tap_, left_channel_, start + joint));
  }

  // The weights with taps and channels as one dimension.
  Expr load_joined(IndexExpr joint) {
    const ir::Buffer source = program_.buffer(right_->buffer);
    const size_t rank = source.shape.size(), element = size_of(source.type);
    std::vector<size_t> order;
    for (size_t d = 0; d < rank; d++)
      if (d != right_tap_ && d != right_channel_) order.push_back(d);
    order.insert(order.end(), {right_tap_, right_channel_});
    const size_t count = source.data.size / element, row = size_t(products()), padded_row = size_t(terms());
    auto bytes = std::make_shared<std::vector<std::byte>>(count / row * padded_row * element);
    const auto strides = strides_of(source, row_major(rank));
    std::vector<int64_t> at(rank, 0);
    for (size_t n = 0; n < count; n++) {
      int64_t from = 0;
      for (size_t d = 0; d < rank; d++) from += at[d] * strides[d].constant();
      const size_t to = (n / row * padded_row + n % row) * element;
      std::memcpy(bytes->data() + to, static_cast<const std::byte*>(source.data.bytes) + size_t(from) * element,
                  element);
      for (size_t i = rank; i-- > 0;) {
        if (++at[order[i]] < source.shape[order[i]].constant()) break;
        at[order[i]] = 0;
      }
    }
    ir::ConstantData data{bytes, bytes->data(), bytes->size()};
    const BufferId buffer =
        program_.add_buffer(source.name, source.type, joined(source.shape, right_tap_, right_channel_, terms()),
                            ir::BufferKind::constant, std::move(data));
    return program_.exprs->load(buffer, source.type, joined(right_->indices, right_tap_, right_channel_, joint));
  }
};

}  // namespace

void fold_taps_into_k(Draft& draft) {
  Program& program = draft.program();
  DecisionLog& log = draft.log();
  for (size_t i = 0; i < program.statements.size(); i++) {
    const LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !nest->is_contraction()) continue;
    LoopNest folded = *nest;
    Folding folding(program, folded, draft.tuning());
    if (!log.add("fold taps", describe(program.statements[i]), folding.prepare())) continue;
    LoopNest copy = folding.apply(folded);
    log.copies.push_back(
        {copy.stores[0].buffer, "padding", "the taps and the few channels become one contiguous K axis"});
    program.statements[i] = std::move(folded);
    program.statements.insert(program.statements.begin() + long(i), std::move(copy));
    i++;
  }
}

}  // namespace cppgen::schedule
