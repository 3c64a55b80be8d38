#include <cmath>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
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
  IndexExpr length, bins;
  bool inverse;
};

IndexExpr bins_of(IndexExpr length, bool one_sided) {
  return one_sided ? floordiv(length, 2) + IndexExpr(int64_t(1)) : length;
}

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
    nest.stores.push_back({c.output_buffer(0), to, t.inverse ? sum / index_value(c, t.length, type) : sum, {}});
  }
  c.emit(std::move(nest));
}

// --- DFT: input [batch, .., 1 or 2], length; the axis is an attribute (17) or input 2 (20)

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

IndexExpr checked_length(InferContext& c, IndexExpr length) {
  return length.is_constant() ? IndexExpr(checked_length(c, length.constant())) : length;
}

// Conditions on a length of the run.
std::vector<Scalar> allowed_length(Scalar length) { return {length >= 1.0, length <= double(kMaxLength)}; }

bool has_run_time_axis(InferContext& c) { return c.opset() >= 20 && is_run_time(c, 2); }

int dft_axis(InferContext& c) {
  int rank = int(c.shape(0).size());
  int64_t axis = c.opset() < 20 ? c.integer("axis", 1) : c.has_input(2) ? scalar_argument(c, 2, "the axis") : -2;
  int normalized = normalized_axis(c, axis, rank);
  if (normalized == rank - 1) c.fail("the axis is the one of real and imaginary parts");
  return normalized;
}

struct Sides {
  bool inverse, one_sided;
};

Sides dft_sides(InferContext& c) {
  Sides s{c.integer("inverse", 0) != 0, c.integer("onesided", 0) != 0};
  if (s.inverse && s.one_sided) c.fail("inverse and onesided exclude each other");
  if (s.one_sided && is_complex(c, 0)) c.fail("onesided needs real input");
  return s;
}

// The number of samples. One that only a run knows is a value that `resolve` gives behind the dimensions.
IndexExpr dft_length(InferContext& c) {
  if (is_run_time(c, 1)) return c.resolved_symbol(c.shape(0).size(), "length");
  if (!c.has_input(1)) return checked_length(c, c.shape(0)[size_t(dft_axis(c))]);
  if (const auto* known = c.contents(1); known && known->size() == 1) return checked_length(c, (*known)[0]);
  return checked_length(c, scalar_argument(c, 1, "the length"));
}

Transform dft_transform(InferContext& c) {
  const Sides s = dft_sides(c);
  const IndexExpr length = dft_length(c);
  return {length, bins_of(length, s.one_sided), s.inverse};
}

void infer_dft(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, -1);
  is_complex(c, 0);
  if (has_run_time_axis(c)) c.fail("input 2 (the axis) must be constant");
  const Transform t = dft_transform(c);
  Shape to = c.shape(0);
  if (is_run_time(c, 1)) {
    element_count(c, 1);
    std::vector<IndexExpr> noted(to.size());
    noted.push_back(t.length);
    c.note_resolved(noted);
  }
  to[size_t(dft_axis(c))] = t.bins;
  to.back() = 2;
  c.set_output(0, c.dtype(0), to);
}

// The dimensions are known by the length.
void resolve_dft(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> values(c.shape(0).size(), number(c, DType::i64, 0));
  const Scalar length = integer_element(c, 1, 0);
  values.push_back(valid_or_refused(c, length, allowed_length(length)));
  emit_dims(c, dims, values);
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

enum StftValue { kFrames, kFrameLength, kStftValues };  // what `resolve` gives

bool has_run_time_length(InferContext& c) { return is_run_time(c, 3) && !c.has_input(2); }
bool has_run_time_frames(InferContext& c) { return is_run_time(c, 1) || has_run_time_length(c); }

// A window decides; a length that only a run knows must agree with it.
IndexExpr frame_length(InferContext& c) {
  if (has_run_time_length(c)) return c.resolved_symbol(kFrameLength, "length");
  if (c.has_input(3) && !is_run_time(c, 3)) return checked_length(c, scalar_argument(c, 3, "the frame length"));
  if (!c.has_input(2)) c.fail("neither the window nor the frame length is given");
  return checked_length(c, c.shape(2)[0]);
}

Transform stft_transform(InferContext& c) {
  const IndexExpr length = frame_length(c);
  return {length, bins_of(length, c.integer("onesided", 1) != 0), false};
}

int64_t frame_step(InferContext& c) {
  int64_t step = scalar_argument(c, 1, "the step");
  if (step < 1 || step > kMaxLength) c.fail(fmt::format("the step {} is not in [1, {}]", step, kMaxLength));
  return step;
}

IndexExpr frame_count(InferContext& c, IndexExpr length) {
  const std::optional<Shape> declared = declared_shape(c, 0);
  if (!has_run_time_frames(c))
    return ir::max(floordiv(c.shape(0)[1] - length, frame_step(c)) + IndexExpr(int64_t(1)), 0);
  element_count(c, 1);
  if (declared && declared->size() == 4 && !has_run_time_length(c)) return (*declared)[1];
  const IndexExpr frames = c.resolved_symbol(kFrames, "frames");
  c.note_resolved({frames, has_run_time_length(c) ? length : IndexExpr()});
  return frames;
}

void infer_stft(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, 3);
  const Shape& x = c.shape(0);
  if (x.size() == 3) is_complex(c, 0);
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_rank(c, 2, 1, 1);
  }
  const Transform t = stft_transform(c);
  if (c.has_input(2)) require_equal(c, c.shape(2)[0], t.length, "the window and the frame length");
  c.set_output(0, c.dtype(0), {x[0], frame_count(c, t.length), t.bins, 2});
}

// The frames that a run's step and length give, and what these must fulfil.
struct RunTimeFrames {
  Scalar step, length, count;
  std::vector<Scalar> conditions;
};

RunTimeFrames run_time_frames(LowerContext& c) {
  const Scalar step = integer_element(c, 1, 0);
  const Scalar length = c.has_input(3) ? integer_element(c, 3, 0) : index_value(c, c.shape(2)[0]);
  const Scalar samples = index_value(c, c.shape(0)[1]);
  const Scalar count = select(samples < length, number(c, DType::i64, 0), (samples - length) / max(step, 1.0) + 1.0);
  std::vector<Scalar> conditions = allowed_length(length);
  conditions.push_back(step >= 1.0);
  conditions.push_back(step <= double(kMaxLength));
  if (c.has_input(2)) conditions.push_back(length == index_value(c, c.shape(2)[0]));
  return {step, length, count, conditions};
}

void resolve_stft(LowerContext& c, ir::BufferId dims) {
  const RunTimeFrames frames = run_time_frames(c);
  emit_dims(c, dims, {valid_or_refused(c, frames.count, frames.conditions), max(frames.length, 0.0)});
}

void lower_stft(LowerContext& c) {
  const Transform t = stft_transform(c);
  DType type = ir::value_type(c.dtype(0));
  bool has_parts = c.shape(0).size() == 3, complex = has_parts && is_complex(c, 0);
  std::vector<Scalar> conditions;
  if (is_run_time(c, 1) || is_run_time(c, 3)) {
    const RunTimeFrames frames = run_time_frames(c);
    conditions = frames.conditions;
    conditions.push_back(frames.count == index_value(c, c.output(0).shape[1]));
  }
  const bool known = !is_run_time(c, 1);
  emit_transform(c, t, 2, type, [&](const At& at, IndexExpr n) -> Complex {
    auto sample = [&](int64_t part) {
      At from = {at[0], known ? at[1] * IndexExpr(frame_step(c)) + n : IndexExpr()};
      if (has_parts) from.push_back(part);
      if (known) return checked(c, load_input(c, 0, from), conditions);
      const Scalar position = index_value(c, at[1]) * integer_element(c, 1, 0) + index_value(c, n);
      return checked(c, load_gathered(c, c.input_buffer(0), from, {{1, position}}), conditions);
    };
    Scalar re = sample(0), im = complex ? sample(1) : number(c, type, 0);
    if (!c.has_input(2)) return {re, im};
    Scalar window = load_input(c, 2, {n});
    return {re * window, complex ? im * window : im};
  });
}

}  // namespace

void add_signal_ops(std::vector<Op>& t) {
  add_versions(t, "DFT", {17, 20}, {1, 3, 1}, infer_dft, lower_dft);
  add_versions(t, "STFT", {17}, {2, 4, 1}, infer_stft, lower_stft);
  set_resolve(t, "DFT", resolve_dft);
  set_resolve(t, "STFT", resolve_stft);
}

}  // namespace cppgen::ops
