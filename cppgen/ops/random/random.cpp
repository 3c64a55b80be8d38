#include "cppgen/ops/random/random_numbers.h"
#include "cppgen/ops/shapes/reindex.h"

namespace cppgen::ops {
namespace {

DType attribute_dtype(InferContext& c, DType otherwise, DTypes allowed) {
  DType type = c.has("dtype") ? dtype_of_onnx(c, c.integer("dtype")) : otherwise;
  if (!(bit(type) & allowed))
    c.fail_invalid(fmt::format("the output would be {}, which is not allowed", name_of(type)));
  return type;
}

// Both as float32 values of the model: attributes have no other width.
struct Parameters {
  float first, second;
};

template <bool normal>
Parameters parameters(InferContext& c) {
  c.number("seed", 0);
  if constexpr (normal) return {c.number("mean", 0), c.number("scale", 1)};
  return {c.number("low", 0), c.number("high", 1)};
}

// --- RandomUniform, RandomNormal: of the shape in an attribute; RandomUniformLike, RandomNormalLike: of an input's

template <bool normal>
void infer_random(InferContext& c) {
  parameters<normal>(c);
  std::vector<int64_t> dims = c.integers("shape");
  Shape shape(dims.begin(), dims.end());
  DType type = attribute_dtype(c, DType::f32, kFloats);
  require_size(c, shape, type);
  c.set_output(0, type, shape);
}

template <bool normal>
void infer_random_like(InferContext& c) {
  parameters<normal>(c);
  c.set_output(0, attribute_dtype(c, c.dtype(0), kFloats), c.shape(0));
}

// A value rounded to its storage type.
Scalar as_stored(Scalar x, DType storage) {
  if (storage == DType::f16) return x.unary(ir::UnaryOp::round_f16);
  if (storage == DType::bf16) return x.unary(ir::UnaryOp::round_bf16);
  return x;
}

// The numbers are in [low, high): one that rounds up to `high` becomes `low`.
void lower_uniform(LowerContext& c) {
  const TensorType& to = c.output(0);
  const auto bounds = parameters<false>(c);
  const double low = bounds.first, high = bounds.second;
  RandomStream random = RandomStream::of_node(c);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar u = random.uniform(linear_index(to.shape, at), ir::value_type(to.dtype));
    Scalar x = as_stored(u * (high - low) + low, to.dtype);
    return low < high ? select(x < high, x, x.number(low)) : x;
  });
}

void lower_normal(LowerContext& c) {
  const TensorType& to = c.output(0);
  const auto given = parameters<true>(c);
  const double mean = given.first, scale = given.second;
  RandomStream random = RandomStream::of_node(c);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    return random.normal(linear_index(to.shape, at), ir::value_type(to.dtype)) * scale + mean;
  });
}

// --- Bernoulli: 1 with the probability that the input says

void infer_bernoulli(InferContext& c) {
  require_dtype(c, 0, kFloats);
  c.number("seed", 0);
  c.set_output(0, attribute_dtype(c, c.dtype(0), kAll), c.shape(0));
}

void lower_bernoulli(LowerContext& c) {
  RandomStream random = RandomStream::of_node(c);
  DType type = ir::value_type(c.output(0).dtype);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar p = load_input(c, 0, at);
    return (random.uniform(linear_index(c.shape(0), at), p.type()) < p).cast(type);
  });
}

// --- Multinomial: [batch, classes] logarithms of weights; [batch, samples] drawn classes

void infer_multinomial(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, 2);
  require_at_most(c, 1, c.shape(0)[1], "there are no classes");
  c.number("seed", 0);
  int64_t samples = c.integer("sample_size", 1);
  if (samples < 0) c.fail(fmt::format("attribute 'sample_size' is {}", samples));
  DType type = attribute_dtype(c, DType::i32, bit(DType::i32) | bit(DType::i64));
  Shape to{c.shape(0)[0], samples};
  require_size(c, to, type);
  c.set_output(0, type, to);
}

// Each class draws an exponential random time with its weight as the rate; the earliest wins, which is the one with
// the greatest log(weight) - log(time).
void lower_multinomial(LowerContext& c) {
  IndexExpr classes = c.shape(0)[1];
  DType type = c.output(0).dtype;
  RandomStream random = RandomStream::of_node(c);
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops({classes}, "k");
  At at = LowerContext::indices(nest.loops);
  IndexExpr k = nest.reduced[0].var;
  Scalar time = random.exponential(linear_index(c.output(0).shape, at) * classes + k);
  ir::Reduction first{ir::ReduceOp::argmax, DType::i64, load_input(c, 0, {at[0], k}).cast(DType::f64) - log(time)};
  first.position = k;
  nest.reductions.push_back(first);
  nest.stores.push_back({c.output_buffer(0), at, scalar(c, c.exprs().accumulator(0, DType::i64)).cast(type)});
  c.emit(std::move(nest));
}

}  // namespace

std::vector<Op> random_ops() {
  return {
      {.name = "RandomUniform",
       .versions = {{1, "dtype:int high:float low:float seed:float shape:ints"}, 22},
       .inputs = 0,
       .infer = infer_random<false>,
       .lower = lower_uniform},
      {.name = "RandomNormal",
       .versions = {{1, "dtype:int mean:float scale:float seed:float shape:ints"}, 22},
       .inputs = 0,
       .infer = infer_random<true>,
       .lower = lower_normal},
      {.name = "RandomUniformLike",
       .versions = {{1, "dtype:int high:float low:float seed:float"}, 22},
       .inputs = 1,
       .infer = infer_random_like<false>,
       .lower = lower_uniform},
      {.name = "RandomNormalLike",
       .versions = {{1, "dtype:int mean:float scale:float seed:float"}, 22},
       .inputs = 1,
       .infer = infer_random_like<true>,
       .lower = lower_normal},
      {.name = "Bernoulli",
       .versions = {{15, "dtype:int seed:float"}, 22},
       .inputs = 1,
       .infer = infer_bernoulli,
       .lower = lower_bernoulli},
      {.name = "Multinomial",
       .versions = {{7, "dtype:int sample_size:int seed:float"}, 22},
       .inputs = 1,
       .infer = infer_multinomial,
       .lower = lower_multinomial},
  };
}

}  // namespace cppgen::ops
