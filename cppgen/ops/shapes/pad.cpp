#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

struct Padding {
  std::vector<IndexExpr> begin, end;
};

Padding spread(InferContext& c, const std::vector<IndexExpr>& pads, const std::vector<int>& axes, size_t rank) {
  if (pads.size() != 2 * axes.size()) c.fail(fmt::format("there are {} pads for {} axes", pads.size(), axes.size()));
  Padding p{std::vector<IndexExpr>(rank), std::vector<IndexExpr>(rank)};
  for (size_t k = 0; k < axes.size(); ++k) {
    p.begin[axes[k]] = pads[k];
    p.end[axes[k]] = pads[k + axes.size()];
  }
  return p;
}

// Attribute `paddings` in version 1, `pads` from version 2, input 1 from version 11 on.
Padding padding_of(InferContext& c) {
  int rank = int(c.shape(0).size());
  std::vector<int> axes;
  for (int d = 0; d < rank; ++d) axes.push_back(d);
  if (c.opset() < 11) {
    std::vector<int64_t> pads = c.integers(c.opset() < 2 ? "paddings" : "pads");
    return spread(c, {pads.begin(), pads.end()}, axes, size_t(rank));
  }
  require_dtype(c, 1, bit(DType::i64));
  const std::vector<IndexExpr>* pads = c.contents(1);
  if (!pads) c.fail("input 1 (the pads) must be constant");
  if (c.has_input(3)) {
    axes.clear();
    std::vector<int64_t> given = c.constant_ints(3);
    normalized_axes(c, given, rank);
    for (int64_t a : given) axes.push_back(normalized_axis(c, a, rank));
  }
  return spread(c, *pads, axes, size_t(rank));
}

enum class PadMode : uint8_t { constant, edge, reflect, wrap };

PadMode pad_mode(InferContext& c) {
  std::vector<std::pair<const char*, PadMode>> modes{
      {"constant", PadMode::constant}, {"edge", PadMode::edge}, {"reflect", PadMode::reflect}};
  if (c.opset() >= 19) modes.emplace_back("wrap", PadMode::wrap);
  return choice(c, "mode", "constant", modes);
}

bool has_run_time_pads(InferContext& c) { return c.opset() >= 11 && (is_run_time(c, 1) || is_run_time(c, 3)); }

int64_t padded_axes(InferContext& c) { return c.has_input(3) ? element_count(c, 3) : int64_t(c.shape(0).size()); }

// If the axes are known, the other dimensions are not padded.
PartialShape run_time_padded(InferContext& c) {
  const Shape& x = c.shape(0);
  PartialShape partial(x.size());
  if (!c.has_input(3) || is_run_time(c, 3)) return partial;
  partial.assign(x.begin(), x.end());
  for (int axis : normalized_axes(c, c.constant_ints(3), int(x.size()))) partial[size_t(axis)] = std::nullopt;
  return partial;
}

void check_pad_value(InferContext& c) {
  if (!c.has_input(2)) return;
  require_same_dtype(c, 0, 2);
  require_one_element(c, 2, "the value");
}

void infer_declared_pad(InferContext& c) {
  Shape to = require_declared(c, 1, "the pads", run_time_padded(c));
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 0, int(to.size()), int(to.size()));
  if (element_count(c, 1) != 2 * padded_axes(c)) c.fail(fmt::format("there are not {} pads", 2 * padded_axes(c)));
  if (c.has_input(3)) require_dtype(c, 3, bit(DType::i32) | bit(DType::i64));
  check_pad_value(c);
  c.set_output(0, c.dtype(0), to);
}

// The pads of dimension d, and whether the axes name it at most once.
struct RunTimePads {
  Scalar begin, end, valid;
};

RunTimePads run_time_pads(LowerContext& c, int64_t d) {
  const int64_t axes = padded_axes(c), rank = int64_t(c.shape(0).size());
  Scalar named = number(c, DType::i64, 0), begin = named, end = named;
  if (!c.has_input(3)) return {integer_element(c, 1, d), integer_element(c, 1, axes + d), named == 0.0};
  Scalar inside = named == 0.0;
  for (int64_t k = 0; k < axes; ++k) {
    const Scalar axis = integer_element(c, 3, k), meant = axis == double(d) || axis == double(d - rank);
    begin = select(meant, integer_element(c, 1, k), begin), end = select(meant, integer_element(c, 1, axes + k), end);
    named = named + select(meant, named.number(1), named.number(0));
    inside = inside && axis >= double(-rank) && axis < double(rank);
  }
  return {begin, end, inside && named <= 1.0};
}

// Negative pads remove elements before others are repeated: [start, start + extent) remains.
struct RunTimeKept {
  Scalar start, extent;
};
RunTimeKept kept_in_run(const RunTimePads& pads, Scalar extent) {
  const Scalar start = max(-pads.begin, 0.0);
  return {start, extent - start - max(-pads.end, 0.0)};
}

// Returns whether the run's pads of a dimension are allowed: where elements are repeated, one must be left.
Scalar are_allowed(PadMode mode, const RunTimePads& pads, Scalar extent) {
  if (mode == PadMode::constant) return pads.valid;
  return pads.valid && (max(pads.begin, pads.end) <= 0.0 || kept_in_run(pads, extent).extent >= 1.0);
}

void resolve_pad(LowerContext& c, ir::BufferId dims) {
  const Shape& x = c.shape(0);
  const PadMode mode = pad_mode(c);
  std::vector<Scalar> result;
  for (size_t d = 0; d < x.size(); ++d) {
    const RunTimePads pads = run_time_pads(c, int64_t(d));
    const Scalar extent = index_value(c, x[d]);
    result.push_back(valid_or_refused(c, extent + pads.begin + pads.end, {are_allowed(mode, pads, extent)}));
  }
  emit_dims(c, dims, result);
}

// Does the same for pads that are known.
struct Kept {
  IndexExpr start, extent;
};
Kept kept_of(IndexExpr extent, IndexExpr begin, IndexExpr end) {
  const IndexExpr start = ir::max(IndexExpr() - begin, 0);
  return {start, extent - start - ir::max(IndexExpr() - end, 0)};
}

// Where the dimension is padded, an element must be left to repeat.
void require_kept(InferContext& c, size_t d, const Padding& p) {
  const IndexExpr wanted = ir::min(ir::max(p.begin[d], p.end[d]), 1);
  if (ir::prove_less_equal(wanted, 0)) return;
  require_at_most(c, wanted, kept_of(c.shape(0)[d], p.begin[d], p.end[d]).extent,
                  fmt::format("nothing is left of dimension {}, but the mode is {}", d, c.text("mode", "")));
}

void infer_pad(InferContext& c) {
  if (has_run_time_pads(c)) return infer_declared_pad(c);
  const Shape& x = c.shape(0);
  Padding p = padding_of(c);
  const PadMode mode = pad_mode(c);
  check_pad_value(c);
  c.number("value", 0);
  Shape to;
  for (size_t d = 0; d < x.size(); ++d) {
    to.push_back(x[d] + p.begin[d] + p.end[d]);
    if (mode != PadMode::constant) require_kept(c, d, p);
  }
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

Scalar pad_value(LowerContext& c, DType type) {
  if (c.opset() < 11) return number(c, type, c.number("value", 0));
  if (!c.has_input(2)) return number(c, type, 0);
  const Tensor* t = c.constant(2);
  if (t && t->elements() == 1 && (is_float(t->dtype) || size_of(t->dtype) < 8))
    return number(c, type, float_element(*t, 0));
  return only_element(c, 2);
}

// The source of a position that may be outside [0, extent), where the extent is at least 1.
IndexExpr folded(PadMode mode, IndexExpr position, IndexExpr extent) {
  bool inside = ir::prove_less_equal(0, position) && ir::prove_less(position, extent);
  if (inside) return position;
  if (mode == PadMode::edge) return ir::max(ir::min(position, extent - 1), 0);
  if (mode == PadMode::wrap) return mod(position, extent);
  const IndexExpr period = ir::max((extent - 1) * IndexExpr(int64_t(2)), 1), phase = mod(position, period);
  return ir::min(phase, period - phase);
}

// folded() for values that are computed at run time.
Scalar folded_value(PadMode mode, Scalar position, Scalar extent) {
  auto wrapped = [](Scalar a, Scalar b) { return a.binary(ir::BinaryOp::mod_floor, b); };
  if (mode == PadMode::edge || mode == PadMode::constant) return max(min(position, extent - 1.0), 0.0);
  if (mode == PadMode::wrap) return wrapped(position, extent);
  Scalar period = max((extent - 1.0) * 2.0, 1.0), phase = wrapped(position, period);
  return min(phase, period - phase);
}

Scalar run_time_source(PadMode mode, const RunTimePads& pads, Scalar position, Scalar extent) {
  if (mode == PadMode::constant) return folded_value(mode, position, extent);
  const RunTimeKept kept = kept_in_run(pads, extent);
  return kept.start + folded_value(mode, position - kept.start, kept.extent);
}

// Positions are computed from the run's pads, which must give the declared shape.
void lower_run_time_pad(LowerContext& c) {
  const Shape& x = c.shape(0);
  const PadMode mode = pad_mode(c);
  DType type = ir::value_type(c.dtype(0));
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    std::vector<Gathered> gathered;
    std::vector<Scalar> conditions;
    Scalar inside = scalar(c, c.exprs().constant_int(DType::boolean, 1));
    for (size_t d = 0; d < x.size(); ++d) {
      const RunTimePads pads = run_time_pads(c, int64_t(d));
      Scalar extent = index_value(c, x[d]), position = index_value(c, at[d]) - pads.begin;
      conditions.push_back(are_allowed(mode, pads, extent) &&
                           pads.begin + pads.end + extent == index_value(c, c.output(0).shape[d]));
      inside = inside && position >= 0.0 && position < extent;
      gathered.push_back({int(d), run_time_source(mode, pads, position, extent)});
    }
    const Scalar padding = pad_value(c, type), value = load_gathered_or(c, c.input_buffer(0), at, gathered, padding);
    return checked(c, mode == PadMode::constant ? select(inside, value, padding) : value, conditions);
  });
}

void lower_pad(LowerContext& c) {
  if (has_run_time_pads(c)) return lower_run_time_pad(c);
  Padding p = padding_of(c);
  const PadMode mode = pad_mode(c);
  DType type = ir::value_type(c.dtype(0));
  c.emit_pointwise(c.output_buffer(0), [&](At at) {
    for (size_t d = 0; d < at.size(); ++d) at[d] = at[d] - p.begin[d];
    if (mode == PadMode::constant) return load_inside(c, c.input_buffer(0), at, pad_value(c, type));
    for (size_t d = 0; d < at.size(); ++d) {
      const Kept kept = kept_of(c.shape(0)[d], p.begin[d], p.end[d]);
      at[d] = kept.start + folded(mode, at[d] - kept.start, kept.extent);
    }
    return load_input(c, 0, at);
  });
}

}  // namespace

std::vector<Op> pad_ops() {
  return {
      {.name = "Pad",
       .versions = {{1, "mode:string paddings:ints value:float"},
                    {2, "pads:ints -paddings"},
                    {11, "-pads -value"},
                    13,
                    18,
                    19,
                    21,
                    23,
                    24,
                    25},
       .inputs = {1, 4},
       .elements = Elements::any,
       .infer = infer_pad,
       .lower = lower_pad,
       .resolve = resolve_pad},
  };
}

}  // namespace cppgen::ops
