#include "runtime/plan/calls/onednn.h"

#include <fmt/format.h>

#include <optional>

#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/external_kernel.h"
#include "cppgen/schedule/engines/tiles.h"
#include "runtime/plan/call_fields.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

using Call = rt::OneDnnCall<IndexExpr>;

// The call of the runtime's function for a contraction, or the reason why there is none.
struct Form {
  std::optional<Call> call;
  std::string reason;
};

// Returns whether the operand starts at the first element of its buffer, because the function takes no offsets.
bool starts_at_zero(IndexExpr offset) { return start_of(offset).is_constant(0); }

Form matmul_form(const Contraction& contraction) {
  const ContractionView& v = *contraction.view;
  if (v.batch.size() > 2) return {{}, "there are more than two batch loops"};
  IndexExpr a = contraction.offset(v.left), b = contraction.offset(v.right);
  if (!starts_at_zero(a) || !starts_at_zero(b)) return {{}, "an operand is part of a larger tensor"};
  auto am = joint_stride(a, v.rows);
  if (!am) return {{}, "the rows are not evenly spaced"};
  auto batch = v.batch;
  while (batch.size() < 2) batch.insert(batch.begin(), Loop{IndexExpr(int64_t{0}), 1});
  auto stride = [](IndexExpr e, const Loop& l) {
    return l.extent.is_constant(1) ? std::optional(IndexExpr(int64_t{0})) : ir::stride_of(e, l.var.node());
  };
  const Loop& k = v.k.back();
  const Loop& n = v.columns[0];
  auto ab0 = stride(a, batch[0]), ab1 = stride(a, batch[1]), bb0 = stride(b, batch[0]), bb1 = stride(b, batch[1]);
  auto ak = stride(a, k), bk = stride(b, k), bn = stride(b, n);
  if (!ab0 || !ab1 || !bb0 || !bb1 || !ak || !bk || !bn) return {{}, "the operands are not strided"};
  IndexExpr m = points(v.rows), columns = n.extent;
  auto positive = [](IndexExpr stride, IndexExpr otherwise) { return stride.is_constant(0) ? otherwise : stride; };
  Call call{.kind = rt::OneDnnKind::matmul};
  call.matmul = {.batch0 = batch[0].extent,
                 .batch1 = batch[1].extent,
                 .m = m,
                 .n = columns,
                 .k = k.extent,
                 .a_batch0 = *ab0,
                 .a_batch1 = *ab1,
                 .a_m = positive(*am, k.extent),
                 .a_k = positive(*ak, 1),
                 .b_batch0 = *bb0,
                 .b_batch1 = *bb1,
                 .b_k = positive(*bk, columns),
                 .b_n = positive(*bn, 1),
                 .out_batch0 = m * columns * batch[1].extent,
                 .out_batch1 = m * columns,
                 .out_m = columns};
  return {call, {}};
}

using Spatial = rt::OneDnnConvolution<IndexExpr>::Spatial;

// A spatial index of the left operand: row * stride + tap * dilation - pad. All members except the trailing padding.
std::optional<Spatial> spatial_of(IndexExpr index, IndexExpr extent, const ContractionView& v) {
  Spatial s;
  s.in = extent, s.out = s.kernel = s.stride = s.dilation = 1;
  ir::IndexMap zero;
  for (const Loop& l : v.rows) {
    if (!ir::depends_on(index, l.var.node())) continue;
    auto stride = ir::stride_of(index, l.var.node());
    if (!stride || !s.out.is_constant(1)) return std::nullopt;
    s.out = l.extent, s.stride = *stride, zero[l.var.node()] = 0;
  }
  for (const Loop& l : v.k) {
    if (!ir::depends_on(index, l.var.node())) continue;
    auto stride = ir::stride_of(index, l.var.node());
    if (!stride || !s.kernel.is_constant(1)) return std::nullopt;
    s.kernel = l.extent, s.dilation = *stride, zero[l.var.node()] = 0;
  }
  s.pad_begin = IndexExpr(int64_t{0}) - ir::substitute(index, zero);
  return s;
}

Form convolution_form(const Contraction& contraction) {
  const ContractionView& v = *contraction.view;
  const auto& left = contraction.buffer(v.left);
  const auto& right = contraction.buffer(v.right);
  size_t rank = left.shape.size();
  if (rank < 3 || rank > 5 || right.shape.size() != rank || right.kind != ir::BufferKind::constant ||
      v.batch.size() > 1)
    return {{}, "it is not a plain convolution"};
  if (!(contraction.layouts[size_t(left.id)] == with_last(rank, 1)))
    return {{}, "the left operand is not channels-last"};
  if (v.k.size() != rank - 1 || v.rows.size() != rank - 1 || !(v.left->indices[0] == v.rows[0].var))
    return {{}, "it is not a plain convolution"};
  IndexExpr groups = points(v.batch), channel = v.k.back().var;
  if (!v.batch.empty()) channel = v.batch[0].var * v.k.back().extent + channel;
  if (!ir::prove_equal(left.shape[1], groups * v.k.back().extent) || !ir::prove_equal(v.left->indices[1], channel))
    return {{}, "the left operand is part of a larger tensor"};
  Call call{.kind = rt::OneDnnKind::convolution};
  call.convolution = {v.rows[0].extent, groups, left.shape[1], groups * v.columns[0].extent, {}};
  for (size_t d = 2; d < rank; d++) {
    auto s = spatial_of(v.left->indices[d], left.shape[d], v);
    if (!s) return {{}, "a spatial index is not row * stride + tap * dilation - pad"};
    IndexExpr end = (s->out - 1) * s->stride + (s->kernel - 1) * s->dilation + 1 - s->in - s->pad_begin;
    s->pad_end = ir::max(end, 0);  // rows of the input that no window reads are not padding
    call.convolution.spatial.push_back(*s);
  }
  return {call, {}};
}

Form form_of(const Contraction& contraction) {
  if (contraction.view->k.size() == 1 && contraction.view->left->guards.empty())
    if (auto form = matmul_form(contraction); form.call) return form;
  return convolution_form(contraction);
}

FusionDecision onednn_supports(const Contraction& contraction, const Options& options, const Target& target) {
  if (target.lanes == 1) return FusionDecision::no("oneDNN would use a wider ISA than the one forced");
  if (auto regular = tiles_support(contraction, rt::TileFormat::f32, options, target.tuning); !regular) return regular;
  Form form = form_of(contraction);
  if (!form.call) return FusionDecision::no(form.reason);
  return rt::onednn_is_there() ? FusionDecision::yes() : FusionDecision::no("oneDNN is not installed");
}

Prepared prepare_onednn(Program& program, Layouts& layouts, LoopNest nest, const Options&, const Target& target) {
  const Contraction contraction(program, layouts, nest);
  const ContractionView& v = *contraction.view;
  const Call call = *form_of(contraction).call;
  const bool matmul = call.kind == rt::OneDnnKind::matmul;

  // Matmul writes [batch..., rows..., columns]; convolution [rows..., groups, columns].
  std::vector<Loop> order = matmul ? v.batch : v.rows;
  const auto& middle = matmul ? v.rows : v.batch;
  order.insert(order.end(), middle.begin(), middle.end());
  order.push_back(v.columns[0]);

  Prepared prepared;
  prepared.nest = nest;
  const BufferId raw = split_epilogue(program, layouts, order, prepared);
  LibraryStep step;
  step.function = rt::kOneDnnContraction;
  step.inputs = {v.left->buffer, v.right->buffer}, step.outputs = {raw};
  step.params = rt::flat_fields<IndexExpr>(call).integers, step.origins = nest.origins;
  step.flops = flops_of(v), step.products = ir::ceildiv(step.flops, 2 * int64_t(target.lanes));
  prepared.step = std::move(step);
  return prepared;
}

}  // namespace

Engine onednn_engine() { return {"onednn", "ONEDNN", onednn_supports, prepare_onednn}; }

}  // namespace cppgen::schedule
