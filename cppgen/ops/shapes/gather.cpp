#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

constexpr DTypes kIndexTypes = bit(DType::i32) | bit(DType::i64);

int data_axis(InferContext& c) { return normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size())); }

void infer_gather(InferContext& c) {
  require_dtype(c, 1, kIndexTypes);
  require_rank(c, 0, 1, -1);
  int axis = data_axis(c);
  const Shape& data = c.shape(0);
  const Shape& indices = c.shape(1);
  Shape to(data.begin(), data.begin() + axis);
  to.insert(to.end(), indices.begin(), indices.end());
  to.insert(to.end(), data.begin() + axis + 1, data.end());
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void lower_gather(LowerContext& c) {
  int axis = data_axis(c), rank = int(c.shape(1).size());
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    At index(at.begin() + axis, at.begin() + axis + rank), from(at.begin(), at.begin() + axis);
    from.push_back(0);
    from.insert(from.end(), at.begin() + axis + rank, at.end());
    return load_gathered(c, c.input_buffer(0), from, {{axis, load_input(c, 1, index)}});
  });
}

void infer_gather_elements(InferContext& c) {
  require_dtype(c, 1, kIndexTypes);
  int rank = int(c.shape(0).size());
  require_rank(c, 0, 1, -1);
  require_rank(c, 1, rank, rank);
  int axis = data_axis(c);
  for (int d = 0; d < rank; ++d) {
    IndexExpr data = c.shape(0)[d], index = c.shape(1)[d];
    if (d != axis && ir::prove_less(data, index) && !is_zero_sized(c.shape(1)))
      c.fail(fmt::format("dimension {} of the indices is {}, but the data has {}", d, ir::to_string(index),
                         ir::to_string(data)));
  }
  c.set_output(0, c.dtype(0), c.shape(1));
}

// Where only a run knows whether the indices have more elements than the data, each position is checked.
void lower_gather_elements(LowerContext& c) {
  const int axis = data_axis(c);
  const Shape &data = c.shape(0), &index = c.shape(1);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    std::vector<Gathered> positions{{axis, load_input(c, 1, at)}};
    for (int d = 0; d < int(data.size()); ++d)
      if (d != axis && !ir::prove_less_equal(index[d], data[d])) positions.push_back({d, index_value(c, at[d])});
    return load_gathered(c, c.input_buffer(0), at, positions);
  });
}

// Indices [batch.., rest.., depth]: each last row addresses `depth` dimensions of the data after the batch ones.
struct TupleIndex {
  int batch, depth;
};

TupleIndex tuple_index(InferContext& c) {
  require_dtype(c, 1, kIndexTypes);
  require_rank(c, 0, 1, -1);
  require_rank(c, 1, 1, -1);
  int data_rank = int(c.shape(0).size()), rank = int(c.shape(1).size());
  int64_t batch = c.integer("batch_dims", 0);
  if (batch < 0 || batch >= std::min(data_rank, rank)) c.fail(fmt::format("batch_dims is {}", batch));
  int64_t depth = constant_dim(c, c.shape(1).back(), "the last dimension of the indices");
  if (depth < 0 || depth > data_rank - batch) {
    c.fail(fmt::format("the last dimension of the indices is {}, but the data has {} dimensions to address", depth,
                       data_rank - batch));
  }
  for (int d = 0; d < int(batch); ++d) require_equal(c, c.shape(0)[d], c.shape(1)[d], "batch dimensions");
  return {int(batch), int(depth)};
}

void infer_gather_nd(InferContext& c) {
  TupleIndex t = tuple_index(c);
  Shape to(c.shape(1).begin(), c.shape(1).end() - 1);
  to.insert(to.end(), c.shape(0).begin() + t.batch + t.depth, c.shape(0).end());
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void lower_gather_nd(LowerContext& c) {
  TupleIndex t = tuple_index(c);
  int outer = int(c.shape(1).size()) - 1;
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    At index(at.begin(), at.begin() + outer), from(at.begin(), at.begin() + t.batch);
    index.push_back(0);
    std::vector<Gathered> gathered;
    for (int k = 0; k < t.depth; ++k) {
      index.back() = k;
      gathered.push_back({t.batch + k, load_input(c, 1, index)});
      from.push_back(0);
    }
    from.insert(from.end(), at.begin() + outer, at.end());
    return load_gathered(c, c.input_buffer(0), from, gathered);
  });
}

}  // namespace

std::vector<Op> gather_ops() {
  return {
      {.name = "Gather",
       .versions = {{1, "axis:int"}, 11, 13},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_gather,
       .lower = lower_gather},
      {.name = "GatherElements",
       .versions = {{11, "axis:int"}, 13},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_gather_elements,
       .lower = lower_gather_elements},
      {.name = "GatherND",
       .versions = {11, {12, "batch_dims:int"}, 13},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_gather_nd,
       .lower = lower_gather_nd},
  };
}

}  // namespace cppgen::ops
