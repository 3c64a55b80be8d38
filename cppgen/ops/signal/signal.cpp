#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/signal/transform.h"

namespace cppgen::ops {
namespace {

// --- DFT: input [batch, .., 1 or 2], length; the axis is an attribute (17) or input 2 (20)

bool has_run_time_axis(InferContext& c) { return c.opset() >= 20 && is_run_time(c, 2); }

int dft_axis(InferContext& c) {
  int rank = int(c.shape(0).size());
  int64_t axis = c.opset() < 20 ? c.integer("axis", 1) : c.has_input(2) ? one_integer(c, 2, "the axis") : -2;
  int normalized = normalized_axis(c, axis, rank);
  if (normalized == rank - 1) c.fail("the axis is the one of real and imaginary parts");
  return normalized;
}

struct Sides {
  bool inverse, one_sided;
};

Sides dft_sides(InferContext& c) {
  Sides s{c.integer("inverse", 0) != 0, c.integer("onesided", 0) != 0};
  if (s.one_sided && is_complex(c, 0) != s.inverse)
    c.fail(s.inverse ? "onesided and inverse require complex input" : "onesided requires real input");
  return s;
}

// The number of samples. If only a run knows it, `resolve` computes it and stores it after the dimensions.
IndexExpr dft_length(InferContext& c) {
  if (is_run_time(c, 1)) return c.resolved_symbol(c.shape(0).size(), "length");
  if (!c.has_input(1)) {
    const IndexExpr given = c.shape(0)[size_t(dft_axis(c))];
    const Sides s = dft_sides(c);
    return checked_length(c, s.inverse && s.one_sided ? (given - 1) * IndexExpr(int64_t(2)) : given);
  }
  if (const auto* known = c.contents(1); known) return checked_length(c, known->at(0));
  return checked_length(c, one_integer(c, 1, "the length"));
}

Transform dft_transform(InferContext& c) {
  const Sides s = dft_sides(c);
  const IndexExpr length = dft_length(c);
  return {length, bins_of(length, s.one_sided && !s.inverse), s.inverse, is_complex(c, 0)};
}

void infer_dft(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, -1);
  is_complex(c, 0);
  if (c.has_input(1)) require_one_element(c, 1, "the length");
  if (c.opset() >= 20 && c.has_input(2)) require_one_element(c, 2, "the axis");
  if (has_run_time_axis(c)) c.fail("input 2 (the axis) must be constant");
  const Transform t = dft_transform(c);
  Shape to = c.shape(0);
  if (is_run_time(c, 1)) {
    std::vector<IndexExpr> noted(to.size());
    noted.push_back(t.length);
    c.note_resolved(noted);
  }
  to[size_t(dft_axis(c))] = t.bins;
  const Sides s = dft_sides(c);
  to.back() = s.inverse && s.one_sided ? 1 : 2;  // the result of half a spectrum is real
  c.set_output(0, c.dtype(0), to);
}

// The length determines the dimensions.
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
  const Transform t = dft_transform(c);
  const Sides sides = dft_sides(c);
  const bool mirrored = sides.inverse && sides.one_sided;
  emit_transform(c, t, axis, type, [&](At at, IndexExpr n) -> Complex {
    // The input is cut, or filled up with zeros, to the length. The half of a spectrum that is not stored consists of
    // the conjugates of the stored half.
    at[axis] = mirrored ? ir::min(n, t.length - n) : n;
    at.push_back(0);
    Scalar re = load_inside(c, c.input_buffer(0), at, zero);
    at.back() = 1;
    if (!complex) return {re, zero};
    Scalar im = load_inside(c, c.input_buffer(0), at, zero);
    if (!mirrored) return {re, im};
    return {re, select(index_value(c, n) * 2.0 > index_value(c, t.length), -im, im)};
  });
}

}  // namespace

std::vector<Op> signal_ops() {
  return {
      {.name = "DFT",
       .versions = {{17, "axis:int inverse:int onesided:int"}, {20, "-axis"}},
       .inputs = {1, 3},
       .infer = infer_dft,
       .lower = lower_dft,
       .resolve = resolve_dft},
  };
}

}  // namespace cppgen::ops
