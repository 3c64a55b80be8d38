#include "cppgen/ops/choice.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

// TensorScatter: an update of a cache along one axis, from a position of each batch entry on; circular: positions wrap
// at the end of the cache. Inputs cache, update (shorter on the axis), positions [batch] (0 if absent).

bool is_circular(InferContext& c) { return choice<bool>(c, "mode", "linear", {{"linear", false}, {"circular", true}}); }

size_t sequence_axis(InferContext& c) {
  const int axis = normalized_axis(c, c.integer("axis", -2), int(c.shape(0).size()));
  if (axis == 0) c.fail("the axis must not be that of the batch");
  return size_t(axis);
}

void infer_tensor_scatter(InferContext& c) {
  require_same_dtype(c, 0, 1);
  const Shape& cache = c.shape(0);
  require_rank(c, 0, 2, -1);
  require_rank(c, 1, int(cache.size()), int(cache.size()));
  is_circular(c);
  const size_t axis = sequence_axis(c);
  for (size_t d = 0; d < cache.size(); ++d)
    if (d != axis) require_equal(c, cache[d], c.shape(1)[d], "dimensions of the cache and the update");
  require_at_most(c, c.shape(1)[axis], cache[axis], "the update is longer than the cache");
  if (c.has_input(2)) {
    require_dtype(c, 2, bit(DType::i64));
    require_rank(c, 2, 1, 1);
    require_equal(c, c.shape(2)[0], cache[0], "the number of positions and the batch");
  }
  c.set_output(0, c.dtype(0), cache);
}

void lower_tensor_scatter(LowerContext& c) {
  const size_t axis = sequence_axis(c);
  const bool circular = is_circular(c);
  const Shape& cache = c.shape(0);
  const Scalar capacity = index_value(c, cache[axis]), length = index_value(c, c.shape(1)[axis]);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Scalar start = c.has_input(2) ? load_input(c, 2, {at[0]}) : number(c, DType::i64, 0);
    Scalar row = index_value(c, at[axis]) - start;
    if (circular) row = row.binary(ir::BinaryOp::mod_floor, capacity);
    const Scalar updated = row >= 0.0 && row < length;
    const Scalar own = load_input(c, 0, at), position = max(min(row, length - 1.0), 0.0);
    const Scalar value = load_gathered_or(c, c.input_buffer(1), at, {{int(axis), position}}, own);
    const Scalar kept = select(updated, value, own);
    if (circular || !c.has_input(2)) return kept;
    return checked(c, kept, {start >= 0.0, start + length <= capacity});
  });
}

}  // namespace

std::vector<Op> tensor_scatter_ops() {
  return {
      {.name = "TensorScatter",
       .versions = {{24, "axis:int mode:string"}},
       .inputs = {2, 3},
       .elements = Elements::strings,
       .infer = infer_tensor_scatter,
       .lower = lower_tensor_scatter},
  };
}

}  // namespace cppgen::ops
