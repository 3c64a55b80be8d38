#include <cmath>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

// MelWeightMatrix: triangles between neighbouring edges that are evenly spaced on the mel scale, at whole bins of the
// spectrum. Inputs: bins, DFT length, sample rate, lower and upper edge in hertz. Result [length / 2 + 1, bins].

constexpr const char* kInputs[] = {"the bins", "the DFT length", "the sample rate", "the lower edge", "the upper edge"};
constexpr int64_t kMaxWeights = int64_t(1) << 24;

void infer_mel(InferContext& c) {
  for (int i = 0; i < 5; ++i) {
    require_dtype(c, i, i < 3 ? bit(DType::i32) | bit(DType::i64) : kFloats);
    require_one_element(c, i, kInputs[i]);
  }
  const auto *bins = c.contents(0), *length = c.contents(1);
  PartialShape partial(2);
  if (length) partial[0] = floordiv((*length)[0], 2) + IndexExpr(int64_t(1));
  if (bins) partial[1] = (*bins)[0];
  const Shape to = length && bins ? Shape{*partial[0], *partial[1]}
                                  : require_declared(c, length ? 0 : 1, "a number of bins", partial);
  if (to.size() != 2) c.fail("the declared output does not have two dimensions");
  const DType type = dtype_of_onnx(c, c.integer("output_datatype", 1));
  require_size(c, to, type);
  c.set_output(0, type, to);
}

struct Mel {
  Scalar bins, length, rate, lower, upper;
  std::vector<Scalar> conditions;  // on the inputs
};

Mel mel_of(LowerContext& c) {
  auto real = [&](int i) { return only_element(c, i).cast(DType::f64); };
  Mel m{integer_element(c, 0, 0), integer_element(c, 1, 0), real(2), real(3), real(4), {}};
  m.conditions = {m.bins >= 1.0,     m.bins <= double(kMaxWeights),
                  m.length >= 1.0,   m.length <= double(kMaxWeights),
                  m.rate > 0.0,      m.lower >= 0.0,
                  m.upper > m.lower, (m.length / 2.0 + 1.0) * m.bins <= double(kMaxWeights)};
  return m;
}

void resolve_mel(LowerContext& c, ir::BufferId dims) {
  const Mel m = mel_of(c);
  emit_dims(c, dims, {valid_or_refused(c, m.length / 2.0 + 1.0, m.conditions), m.bins});
}

// Edge number k as a bin of the spectrum.
ir::BufferId emit_edges(LowerContext& c, const Mel& m) {
  constexpr double kPerDecade = 2595, kKnee = 700;
  const double per_e = kPerDecade / std::log(10.0);
  auto mel = [&](Scalar hertz) { return per_e * log(1.0 + hertz / kKnee); };
  const ir::BufferId edges = c.temporary(DType::i64, {c.output(0).shape[1] + IndexExpr(int64_t(2))});
  c.emit_pointwise(
      edges,
      [&](const At& at) {
        const Scalar low = mel(m.lower), step = (mel(m.upper) - low) / (m.bins.cast(DType::f64) + 2.0);
        const Scalar hertz = kKnee * (pow(10.0, (index_value(c, at[0], DType::f64) * step + low) / kPerDecade) - 1.0);
        return floor((m.length.cast(DType::f64) + 1.0) * hertz / m.rate).cast(DType::i64);
      },
      "edges");
  return edges;
}

void lower_mel(LowerContext& c) {
  Mel m = mel_of(c);
  const Shape& to = c.output(0).shape;
  m.conditions.push_back(m.length / 2.0 + 1.0 == index_value(c, to[0]));
  m.conditions.push_back(m.bins == index_value(c, to[1]));
  const ir::BufferId edges = emit_edges(c, m);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Scalar k = index_value(c, at[0]), left = load(c, edges, {at[1]});
    const Scalar centre = load(c, edges, {at[1] + IndexExpr(int64_t(1))});
    const Scalar right = load(c, edges, {at[1] + IndexExpr(int64_t(2))});
    auto share = [](Scalar part, Scalar whole) { return part.cast(DType::f64) / max(whole, 1.0).cast(DType::f64); };
    const Scalar none = number(c, DType::f64, 0), peak = number(c, DType::f64, 1);
    Scalar weight = select(left == centre && k == centre, peak, none);
    weight = select(left < centre && k >= left && k <= centre, share(k - left, centre - left), weight);
    weight = select(k >= centre && k < right, share(right - k, right - centre), weight);
    return checked(c, weight.cast(ir::value_type(c.output(0).dtype)), m.conditions);
  });
}

}  // namespace

std::vector<Op> mel_ops() {
  return {
      {.name = "MelWeightMatrix",
       .versions = {{17, "output_datatype:int"}},
       .inputs = 5,
       .infer = infer_mel,
       .lower = lower_mel,
       .resolve = resolve_mel},
  };
}

}  // namespace cppgen::ops
