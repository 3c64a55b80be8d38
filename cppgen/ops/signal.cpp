#include <cmath>

#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

constexpr int64_t kMaxLength = int64_t(1) << 24;

int64_t scalar_argument(InferContext& c, int input, const char* what) {
  std::vector<int64_t> value = c.constant_ints(input);
  if (value.size() != 1) c.fail(fmt::format("{} (input {}) must be one integer", what, input));
  return value[0];
}

// A discrete Fourier transform of `length` samples, of which `bins` frequencies are kept. A sample is a pair of real
// and imaginary part (the latter may be missing); the result has them as its last dimension.
struct Transform {
  int64_t length, bins;
  bool inverse;
};

// Re and Im of exp(-+ 2 pi i k / length) for k = 0, 1 ...
struct Twiddles {
  ir::BufferId cosine, sine;
};

Twiddles make_twiddles(LowerContext& c, const Transform& t, DType type) {
  std::vector<double> cosine, sine;
  for (int64_t k = 0; k < t.length; ++k) {
    double angle = 2 * M_PI * double(k) / double(t.length);
    cosine.push_back(std::cos(angle));
    sine.push_back(t.inverse ? std::sin(angle) : -std::sin(angle));
  }
  return {c.constant_buffer(tensor_of(type, cosine, {t.length})), c.constant_buffer(tensor_of(type, sine, {t.length}))};
}

struct Complex {
  Scalar re, im;
};

// output[at.., 0|1] = sum over n of sample(at, n) x twiddle(bin(at) n)
void emit_transform(LowerContext& c, const Transform& t, size_t bin_dimension, DType type,
                    const std::function<Complex(const At& at, IndexExpr n)>& sample) {
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
  for (int part = 0; part < 2; ++part) {
    Scalar sum = scalar(c, c.exprs().accumulator(part, type));
    At to = at;
    to.push_back(int64_t(part));
    nest.stores.push_back({c.output_buffer(0), to, t.inverse ? sum / double(t.length) : sum, {}});
  }
  c.emit(std::move(nest));
}

// --- DFT: input [batch, .., 1 or 2], length; the axis is an attribute (17) or input 2 (20)

int dft_axis(InferContext& c) {
  int rank = int(c.shape(0).size());
  int64_t axis = c.opset() < 20 ? c.integer("axis", 1) : c.has_input(2) ? scalar_argument(c, 2, "the axis") : -2;
  int normalized = normalized_axis(c, axis, rank);
  if (normalized == rank - 1) c.fail("the axis is the one of real and imaginary parts");
  return normalized;
}

bool is_complex(InferContext& c, int input) {
  int64_t parts = constant_dim(c, c.shape(input).back(), "the last dimension");
  if (parts != 1 && parts != 2)
    c.fail(fmt::format("the last dimension of input {} is {}; it must be 1 or 2", input, parts));
  return parts == 2;
}

int64_t checked_length(InferContext& c, int64_t length) {
  if (length < 1 || length > kMaxLength) c.fail(fmt::format("the length {} is not in [1, {}]", length, kMaxLength));
  return length;
}

Transform dft_transform(InferContext& c) {
  bool inverse = c.integer("inverse", 0) != 0, one_sided = c.integer("onesided", 0) != 0;
  if (inverse && one_sided) c.fail("inverse and onesided exclude each other");
  int64_t length = c.has_input(1) ? scalar_argument(c, 1, "the length")
                                  : constant_dim(c, c.shape(0)[dft_axis(c)], "the transformed dimension");
  checked_length(c, length);
  if (one_sided && is_complex(c, 0)) c.fail("onesided needs real input");
  return {length, one_sided ? length / 2 + 1 : length, inverse};
}

void infer_dft(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, -1);
  is_complex(c, 0);
  Shape to = c.shape(0);
  to[dft_axis(c)] = dft_transform(c).bins;
  to.back() = 2;
  c.set_output(0, c.dtype(0), to);
}

void lower_dft(LowerContext& c) {
  int axis = dft_axis(c);
  DType type = ir::value_type(c.dtype(0));
  bool complex = is_complex(c, 0);
  Scalar zero = number(c, type, 0);
  emit_transform(c, dft_transform(c), axis, type, [&](At at, IndexExpr n) -> Complex {
    at[axis] = n;  // the input is cut or filled up with zeros to the length
    at.push_back(0);
    Scalar re = load_inside(c, c.input_buffer(0), at, zero);
    at.back() = 1;
    return {re, complex ? load_inside(c, c.input_buffer(0), at, zero) : zero};
  });
}

// --- STFT: signal [batch, samples, 1 or 2], step, window, frame length

int64_t frame_length(InferContext& c) {
  if (c.has_input(3)) return checked_length(c, scalar_argument(c, 3, "the frame length"));
  if (!c.has_input(2)) c.fail("neither the window nor the frame length is given");
  require_rank(c, 2, 1, 1);
  return checked_length(c, constant_dim(c, c.shape(2)[0], "the window's length"));
}

Transform stft_transform(InferContext& c) {
  int64_t length = frame_length(c);
  bool one_sided = c.integer("onesided", 1) != 0;
  return {length, one_sided ? length / 2 + 1 : length, false};
}

int64_t frame_step(InferContext& c) {
  int64_t step = scalar_argument(c, 1, "the step");
  if (step < 1 || step > kMaxLength) c.fail(fmt::format("the step {} is not in [1, {}]", step, kMaxLength));
  return step;
}

void infer_stft(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, 3);
  const Shape& x = c.shape(0);
  if (x.size() == 3) is_complex(c, 0);
  Transform t = stft_transform(c);
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_rank(c, 2, 1, 1);
    require_equal(c, c.shape(2)[0], t.length, "the window and the frame length");
  }
  IndexExpr frames = floordiv(x[1] - IndexExpr(t.length), frame_step(c)) + 1;
  c.set_output(0, c.dtype(0), {x[0], ir::max(frames, 0), t.bins, 2});
}

void lower_stft(LowerContext& c) {
  IndexExpr step = frame_step(c);
  DType type = ir::value_type(c.dtype(0));
  bool has_parts = c.shape(0).size() == 3, complex = has_parts && is_complex(c, 0);
  emit_transform(c, stft_transform(c), 2, type, [&](const At& at, IndexExpr n) -> Complex {
    At from = {at[0], at[1] * step + n};
    if (has_parts) from.push_back(0);
    Scalar re = load_input(c, 0, from), im = number(c, type, 0);
    if (complex) from.back() = 1, im = load_input(c, 0, from);
    if (!c.has_input(2)) return {re, im};
    Scalar window = load_input(c, 2, {n});
    return {re * window, complex ? im * window : im};
  });
}

// --- MelWeightMatrix: bins, DFT length, sample rate, lower and upper edge in hertz, all constant

struct MelArguments {
  int64_t bins, spectrum;
  double rate, lower, upper;
};

double only_float(InferContext& c, int input) {
  std::vector<double> value = float_elements(c, input);
  if (value.size() != 1 || !std::isfinite(value[0])) c.fail(fmt::format("input {} must be one number", input));
  return value[0];
}

MelArguments mel_arguments(InferContext& c) {
  MelArguments a{checked_length(c, scalar_argument(c, 0, "the number of bins")),
                 checked_length(c, scalar_argument(c, 1, "the length")) / 2 + 1,
                 double(scalar_argument(c, 2, "the rate")), only_float(c, 3), only_float(c, 4)};
  if (a.bins * a.spectrum > kMaxLength) c.fail(fmt::format("{} x {} weights are too many", a.spectrum, a.bins));
  if (!(a.rate > 0 && a.lower >= 0 && a.upper > a.lower)) c.fail("rate and edges must be positive and ascending");
  return a;
}

void infer_mel(InferContext& c) {
  MelArguments a = mel_arguments(c);
  c.set_output(0, dtype_of_onnx(c, c.integer("output_datatype", 1)), {a.spectrum, a.bins});
}

// Triangles between neighbouring edges that are evenly spaced on the mel scale, at whole bins of the spectrum.
std::vector<double> mel_weights(const MelArguments& a, int64_t dft_length) {
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double low = mel(a.lower), step = (mel(a.upper) - low) / double(a.bins + 2);
  std::vector<int64_t> edges;
  for (int64_t k = 0; k < a.bins + 2; ++k) {
    double hertz = 700 * (std::pow(10, (double(k) * step + low) / 2595) - 1);
    edges.push_back(int64_t(std::floor(double(dft_length + 1) * hertz / a.rate)));
  }
  std::vector<double> weights(size_t(a.spectrum * a.bins));
  for (int64_t b = 0; b < a.bins; ++b) {
    int64_t left = edges[b], centre = edges[b + 1], right = edges[b + 2];
    auto set = [&](int64_t k, double w) {
      if (k >= 0 && k < a.spectrum) weights[size_t(k * a.bins + b)] = w;
    };
    if (left == centre) set(centre, 1);
    for (int64_t k = left; k <= std::min(centre, a.spectrum - 1) && left < centre; ++k) {
      set(k, double(k - left) / double(centre - left));
    }
    for (int64_t k = centre; k < std::min(right, a.spectrum) && centre < right; ++k) {
      set(k, double(right - k) / double(right - centre));
    }
  }
  return weights;
}

void lower_mel(LowerContext& c) {
  MelArguments a = mel_arguments(c);
  DType type = ir::value_type(c.output(0).dtype);
  ir::BufferId table = c.constant_buffer(
      tensor_of(DType::f64, mel_weights(a, scalar_argument(c, 1, "the length")), {a.spectrum, a.bins}));
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return load(c, table, at).cast(type); });
}

}  // namespace

void add_signal_ops(std::vector<Op>& t) {
  add_versions(t, "DFT", {17, 20}, {1, 3, 1}, infer_dft, lower_dft);
  add_versions(t, "STFT", {17}, {2, 4, 1}, infer_stft, lower_stft);
  add_versions(t, "MelWeightMatrix", {17}, {5, 5, 1}, infer_mel, lower_mel);
}

}  // namespace cppgen::ops
