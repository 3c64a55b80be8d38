#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {
namespace {

int64_t lrn_size(InferContext& c) {
  int64_t size = c.integer("size");
  if (size < 1 || size > (1 << 30)) c.fail(fmt::format("attribute 'size' is {}; it must be 1 to 2^30", size));
  return size;
}

void infer_lrn(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, -1);
  lrn_size(c);
  for (const char* name : {"alpha", "beta", "bias"}) c.number(name, 0);
  c.set_output(0, c.dtype(0), c.shape(0));
}

// y = x / (bias + alpha / size * sum of squares of neighbouring channels) ^ beta
void lower_lrn(LowerContext& c) {
  int64_t size = lrn_size(c);
  DType type = ir::value_type(c.dtype(0));
  Scalar zero = number(c, type, 0);
  ir::BufferId squares = c.temporary(type, c.shape(0));
  emit_reduction(c, {"square_sum",
                     squares,
                     {size},
                     ir::ReduceOp::sum,
                     [&](At at, const At& neighbour) {
                       at[1] = at[1] + neighbour[0] - IndexExpr((size - 1) / 2);
                       Scalar x = load_inside(c, c.input_buffer(0), at, zero);
                       return x * x;
                     },
                     nullptr});
  double factor = double(c.number("alpha", 1e-4f)) / double(size);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar base = double(c.number("bias", 1)) + factor * load(c, squares, at);
        return load_input(c, 0, at) / pow(base, double(c.number("beta", 0.75f)));
      },
      "scale");
}

AxisSplit norm_axes(InferContext& c) {
  return AxisSplit(c.shape(0), {normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size()))});
}

void infer_lp_normalization(InferContext& c) {
  require_dtype(c, 0, kFloats);
  norm_axes(c);
  int64_t p = c.integer("p", 2);
  if (p != 1 && p != 2) c.fail(fmt::format("attribute 'p' is {}; allowed are 1, 2", p));
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_lp_normalization(LowerContext& c) {
  AxisSplit axes = norm_axes(c);
  bool euclidean = c.integer("p", 2) == 2;
  auto term = [&](const At& at) {
    Scalar x = load_input(c, 0, at);
    return euclidean ? x * x : abs(x);
  };
  auto root = [&](Scalar sum) { return euclidean ? sqrt(sum) : sum; };
  ir::BufferId norm = reduce_axes(c, axes, "norm", ir::ReduceOp::sum, ir::value_type(c.dtype(0)), term, root);
  // The specification leaves vectors of zeros open; they stay zeros, as in ONNX Runtime.
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar length = load(c, norm, axes.kept_of(at));
        return load_input(c, 0, at) / select(length == 0.0, length.number(1), length);
      },
      "divide");
}

}  // namespace

std::vector<Op> local_normalization_ops() {
  return {
      {.name = "LRN",
       .versions = {{1, "alpha:float beta:float bias:float size:int"}, 13},
       .inputs = 1,
       .infer = infer_lrn,
       .lower = lower_lrn},
      {.name = "LpNormalization",
       .versions = {{1, "axis:int p:int"}, 22},
       .inputs = 1,
       .infer = infer_lp_normalization,
       .lower = lower_lp_normalization},
  };
}

}  // namespace cppgen::ops
