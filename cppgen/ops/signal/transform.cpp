#include "cppgen/ops/signal/transform.h"

#include <cmath>

#include "cppgen/ops/library_calls.h"
#include "runtime/plan/calls/dft.h"

namespace cppgen::ops {
namespace {

// Re and Im of exp(-+ 2 pi i k / length) for k = 0, 1 ...
struct Twiddles {
  ir::BufferId cosine, sine;
};

Twiddles constant_twiddles(LowerContext& c, int64_t length, bool inverse, DType type) {
  std::vector<double> cosine, sine;
  for (int64_t k = 0; k < length; ++k) {
    double angle = 2 * M_PI * double(k) / double(length);
    cosine.push_back(std::cos(angle));
    sine.push_back(inverse ? std::sin(angle) : -std::sin(angle));
  }
  return {c.constant_buffer(tensor_of(type, cosine, {length})), c.constant_buffer(tensor_of(type, sine, {length}))};
}

Twiddles make_twiddles(LowerContext& c, const Transform& t, DType type) {
  if (t.length.is_constant()) return constant_twiddles(c, t.length.constant(), t.inverse, type);
  Twiddles w{c.temporary(type, {t.length}), c.temporary(type, {t.length})};
  auto angle = [&](const At& at) {
    return index_value(c, at[0], DType::f64) * (2 * M_PI) / index_value(c, t.length, DType::f64);
  };
  c.emit_pointwise(
      w.cosine, [&](const At& at) { return cos(angle(at)).cast(type); }, "cosine");
  c.emit_pointwise(
      w.sine, [&](const At& at) { return (t.inverse ? sin(angle(at)) : -sin(angle(at))).cast(type); }, "sine");
  return w;
}

}  // namespace

int64_t one_integer(InferContext& c, int input, const char* what) {
  std::vector<int64_t> value = c.constant_ints(input);
  if (value.size() != 1) c.fail(fmt::format("{} (input {}) must be one integer", what, input));
  return value[0];
}

IndexExpr bins_of(IndexExpr length, bool one_sided) {
  return one_sided ? floordiv(length, 2) + IndexExpr(int64_t(1)) : length;
}

bool is_complex(InferContext& c, int input) {
  int64_t parts = constant_dim(c, c.shape(input).back(), "the last dimension");
  if (parts != 1 && parts != 2)
    c.fail(fmt::format("the last dimension of input {} is {}; it must be 1 or 2", input, parts));
  return parts == 2;
}

IndexExpr checked_length(InferContext& c, IndexExpr length) {
  const std::string refused = fmt::format("the length {} is not in [1, {}]", ir::to_string(length), kMaxTransform);
  if (length.is_constant() && length.constant() > kMaxTransform) c.fail(refused);
  require_at_most(c, 1, length, refused);
  return length;
}

std::vector<Scalar> allowed_length(Scalar length) { return {length >= 1.0, length <= double(kMaxTransform)}; }

namespace {

using Samples = std::function<Complex(const At& at, IndexExpr n)>;

// Rows of samples for the library, one after the other.
void emit_transform_call(LowerContext& c, const Transform& t, size_t bin_dimension, DType type, const Samples& sample) {
  Shape rows = c.output(0).shape;
  rows.pop_back();
  rows.erase(rows.begin() + long(bin_dimension));
  const auto with = [&](std::initializer_list<IndexExpr> dims) {
    Shape shape = rows;
    shape.insert(shape.end(), dims);
    return shape;
  };
  const int64_t parts = t.complex ? 2 : 1;
  const ir::BufferId samples = c.temporary(type, with({t.length, parts})), bins = c.temporary(type, with({t.bins, 2}));
  c.emit_pointwise(
      samples,
      [&](At at) {
        const IndexExpr part = at.back(), n = at[at.size() - 2];
        at.resize(at.size() - 2);
        at.insert(at.begin() + long(bin_dimension), 0);
        const Complex x = sample(at, n);
        return t.complex ? select(index_value(c, part) == 0.0, x.re, x.im) : x.re;
      },
      "samples");
  const rt::DftCall<IndexExpr> call{type, ir::product(rows), t.length, parts, t.bins, t.inverse};
  c.emit(library_call(rt::kDft, call, {samples}, {bins}));
  c.emit_pointwise(
      c.output_buffer(0),
      [&](At at) {
        const IndexExpr bin = at[bin_dimension];
        at.erase(at.begin() + long(bin_dimension));
        at.insert(at.end() - 1, bin);
        return load(c, bins, at).cast(ir::value_type(c.output(0).dtype));
      },
      "bins");
}

void emit_transform_loops(LowerContext& c, const Transform& t, size_t bin_dimension, DType type,
                          const Samples& sample) {
  Twiddles twiddles = make_twiddles(c, t, type);
  Shape points = c.output(0).shape;
  points.pop_back();
  ir::LoopNest nest;
  nest.loops = c.loops(points);
  nest.reduced = c.loops({t.length}, "n");
  At at = LowerContext::indices(nest.loops);
  IndexExpr n = nest.reduced[0].var, phase = mod(at[bin_dimension] * n, t.length);
  Complex x = sample(at, n);
  Scalar cosine = load(c, twiddles.cosine, {phase}), sine = load(c, twiddles.sine, {phase});
  nest.reductions.push_back({ir::ReduceOp::sum, type, x.re * cosine - x.im * sine});
  nest.reductions.push_back({ir::ReduceOp::sum, type, x.re * sine + x.im * cosine});
  const int parts = int(c.output(0).shape.back().constant());
  for (int part = 0; part < parts; ++part) {
    Scalar sum = scalar(c, c.exprs().accumulator(part, type));
    At to = at;
    to.push_back(int64_t(part));
    nest.stores.push_back({c.output_buffer(0), to, t.inverse ? sum / index_value(c, t.length, type) : sum});
  }
  c.emit(std::move(nest));
}

}  // namespace

void emit_transform(LowerContext& c, const Transform& t, size_t bin_dimension, DType type, const Samples& sample) {
  c.uses_library() ? emit_transform_call(c, t, bin_dimension, type, sample)
                   : emit_transform_loops(c, t, bin_dimension, type, sample);
}

}  // namespace cppgen::ops
