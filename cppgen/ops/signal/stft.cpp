#include "cppgen/ops/declared.h"
#include "cppgen/ops/signal/transform.h"

namespace cppgen::ops {
namespace {

// --- STFT: signal [batch, samples, 1 or 2], step, window, frame length

enum StftValue { kFrames, kFrameLength, kStftValues };  // results of `resolve`

bool has_run_time_length(InferContext& c) { return is_run_time(c, 3) && !c.has_input(2); }
bool has_run_time_frames(InferContext& c) { return is_run_time(c, 1) || has_run_time_length(c); }

// The window determines the frame length; a length that only a run knows must agree with it.
IndexExpr frame_length(InferContext& c) {
  if (has_run_time_length(c)) return c.resolved_symbol(kFrameLength, "length");
  if (c.has_input(3) && !is_run_time(c, 3)) return checked_length(c, one_integer(c, 3, "the frame length"));
  if (!c.has_input(2)) c.fail("neither the window nor the frame length is given");
  return checked_length(c, c.shape(2)[0]);
}

Transform stft_transform(InferContext& c) {
  const IndexExpr length = frame_length(c);
  const bool complex = c.shape(0).size() == 3 && is_complex(c, 0);
  return {length, bins_of(length, c.integer("onesided", 1) != 0), false, complex};
}

int64_t frame_step(InferContext& c) {
  int64_t step = one_integer(c, 1, "the step");
  if (step < 1 || step > kMaxTransform) c.fail(fmt::format("the step {} is not in [1, {}]", step, kMaxTransform));
  return step;
}

IndexExpr frame_count(InferContext& c, IndexExpr length) {
  const std::optional<Shape> declared = declared_shape(c, 0);
  if (!has_run_time_frames(c))
    return ir::max(floordiv(c.shape(0)[1] - length, frame_step(c)) + IndexExpr(int64_t(1)), 0);
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
  require_one_element(c, 1, "the step");
  if (c.has_input(3)) require_one_element(c, 3, "the frame length");
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_rank(c, 2, 1, 1);
  }
  const Transform t = stft_transform(c);
  if (c.has_input(2)) require_equal(c, c.shape(2)[0], t.length, "the window and the frame length");
  c.set_output(0, c.dtype(0), {x[0], frame_count(c, t.length), t.bins, 2});
}

// The number of frames that follows from a run's step and length, and the conditions on these.
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
  conditions.push_back(step <= double(kMaxTransform));
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
  const bool has_parts = c.shape(0).size() == 3;
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
    Scalar re = sample(0), im = t.complex ? sample(1) : number(c, type, 0);
    if (!c.has_input(2)) return {re, im};
    Scalar window = load_input(c, 2, {n});
    return {re * window, t.complex ? im * window : im};
  });
}

}  // namespace

std::vector<Op> stft_ops() {
  return {
      {.name = "STFT",
       .versions = {{17, "onesided:int"}},
       .inputs = {2, 4},
       .infer = infer_stft,
       .lower = lower_stft,
       .resolve = resolve_stft},
  };
}

}  // namespace cppgen::ops
