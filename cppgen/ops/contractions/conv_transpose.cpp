#include <algorithm>
#include <cmath>
#include <optional>

#include "cppgen/ops/contractions/conv.h"

namespace cppgen::ops {
namespace {

// Output o of a transposed convolution sums the products of positions i and taps k with o = i * stride + k * dilation -
// pad. If each phase of the outputs, which are `stride` apart, meets equally many taps, it is a convolution of its own
// with these taps. Otherwise all products are computed, p[n, g, position, tap, oc] = sum over ic of x * w, and summed
// where they meet.
using ir::AxisRole;

struct TransposedShape {
  Window window;  // of the convolution that this one transposes: `input` is our output, `output` our input
  int64_t groups;
  IndexExpr batch, in_channels, out_channels;  // of each group
  Shape output, products;
};

// Pads and output extent of one axis whose unpadded result is `full`.
void fit_axis(WindowAxis& a, IndexExpr full, AutoPad mode, std::optional<int64_t> wanted) {
  bool same = mode == AutoPad::same_upper || mode == AutoPad::same_lower;
  if (!same && !wanted) {
    a.input = full - a.pad_begin - a.pad_end;
    return;
  }
  a.input = wanted ? IndexExpr(*wanted) : a.output * IndexExpr(a.stride);
  IndexExpr total = ir::max(full - a.input, 0);
  a.pad_begin = mode == AutoPad::same_upper ? floordiv(total, 2) : ceildiv(total, 2);
  a.pad_end = total - a.pad_begin;
}

Window transposed_window(InferContext& c, const Shape& spatial, const Shape& kernel) {
  size_t axes = spatial.size();
  const AutoPad mode = auto_pad_of(c);
  std::vector<int64_t> strides = per_axis(c, "strides", axes, 1, 1), dilations = per_axis(c, "dilations", axes, 1, 1);
  std::vector<int64_t> extra = per_axis(c, "output_padding", axes, 0, 0), pads(2 * axes, 0), wanted;
  if (mode == AutoPad::notset) pads = per_axis(c, "pads", 2 * axes, 0, 0);
  if (c.has("output_shape")) {
    wanted = c.integers("output_shape");
    if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (wanted.size() != axes) c.fail(fmt::format("attribute 'output_shape' must have {} values", axes));
  }
  Window window;
  for (size_t d = 0; d < axes; ++d) {
    WindowAxis a{0, kernel[d], strides[d], dilations[d], pads[d], pads[d + axes], spatial[d]};
    IndexExpr full =
        (a.output - 1) * IndexExpr(a.stride) + (a.kernel - 1) * IndexExpr(a.dilation) + IndexExpr(1 + extra[d]);
    fit_axis(a, full, mode, wanted.empty() ? std::nullopt : std::optional(wanted[d]));
    window.push_back(a);
  }
  return window;
}

TransposedShape transposed_shape(InferContext& c) {
  require_rank(c, 0, 3, -1);
  const Shape& x = c.shape(0);
  const Shape& w = c.shape(1);
  require_rank(c, 1, int(x.size()), int(x.size()));
  TransposedShape s;
  s.groups = c.integer("group", 1);
  if (s.groups < 1) c.fail(fmt::format("attribute 'group' is {}; it must be at least 1", s.groups));
  require_equal(c, x[1], w[0], "input channels and the first dimension of the weights");
  require_equal(c, mod(x[1], s.groups), 0, "the remainder of input channels by group and 0");
  s.batch = x[0];
  s.in_channels = floordiv(x[1], s.groups);
  s.out_channels = w[1];
  Shape kernel(w.begin() + 2, w.end());
  if (c.has("kernel_shape")) {
    std::vector<int64_t> given = per_axis(c, "kernel_shape", kernel.size(), 1, 1);
    for (size_t d = 0; d < given.size(); ++d) require_equal(c, given[d], kernel[d], "kernel_shape and the weights");
  }
  s.window = transposed_window(c, Shape(x.begin() + 2, x.end()), kernel);
  s.output = {s.batch, s.out_channels * IndexExpr(s.groups)};
  s.products = {s.batch, s.groups};
  append(s.products, Shape(x.begin() + 2, x.end()));
  append(s.products, kernel);
  s.products.push_back(s.out_channels);
  for (const WindowAxis& a : s.window) s.output.push_back(a.input);
  require_size(c, s.output, DType::f64);
  require_size(c, s.products, DType::f64);
  return s;
}

void infer_conv_transpose(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  TransposedShape s = transposed_shape(c);
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_rank(c, 2, 1, 1);
    require_equal(c, c.shape(2)[0], s.output[1], "biases and output channels");
  }
  c.set_output(0, c.dtype(0), s.output);
}

void emit_tap_products(LowerContext& c, const TransposedShape& s, ir::BufferId out, DType type) {
  ir::LoopNest nest;
  nest.name = "products";
  nest.loops = c.loops(s.products);
  size_t axes = s.window.size();
  nest.roles = {AxisRole::rows, AxisRole::batch};
  nest.roles.insert(nest.roles.end(), axes, AxisRole::rows);
  nest.roles.insert(nest.roles.end(), axes, AxisRole::batch);
  nest.roles.insert(nest.roles.end(), {AxisRole::columns, AxisRole::k});
  nest.reduced = c.loops({s.in_channels}, "c");
  At at = LowerContext::indices(nest.loops);
  IndexExpr channel = at[1] * s.in_channels + nest.reduced[0].var;
  At from = {at[0], channel}, weight = {channel, at.back()};
  append(from, At(at.begin() + 2, at.begin() + 2 + axes));
  append(weight, At(at.begin() + 2 + axes, at.end() - 1));
  nest.reductions.push_back({ir::ReduceOp::sum, type, load_input(c, 0, from) * load_input(c, 1, weight)});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
}

// If taps are contiguous, every stride-th tap contributes to an output; otherwise taps are tested one by one.
bool steps_over_taps(const WindowAxis& a) { return a.stride > 1 && a.dilation == 1; }

Shape terms_of(const Window& window) {
  Shape terms;
  for (const WindowAxis& a : window) terms.push_back(steps_over_taps(a) ? ceildiv(a.kernel, a.stride) : a.kernel);
  return terms;
}

struct Term {
  IndexExpr position, tap;
  std::vector<ir::Guard> guards;  // it exists
};

Term term_of(const WindowAxis& a, IndexExpr output, IndexExpr number) {
  Term t;
  if (steps_over_taps(a)) {
    const IndexExpr reach = output + a.pad_begin;
    t.tap = mod(reach, a.stride) + number * IndexExpr(a.stride);
    t.position = floordiv(reach, a.stride) - number;
    if (!ir::prove_less(t.tap, a.kernel)) t.guards.push_back({t.tap, 0, a.kernel});
  } else {
    // Taps run from the last one to the first one, so that positions ascend like those of a convolution.
    t.tap = a.kernel - 1 - number;
    const IndexExpr reach = output + a.pad_begin - t.tap * IndexExpr(a.dilation);
    t.position = floordiv(reach, a.stride);
    if (!ir::prove_equal(mod(reach, a.stride), 0)) t.guards.push_back({mod(reach, a.stride), 0, 1});
  }
  const bool inside = ir::prove_less_equal(0, t.position) && ir::prove_less(t.position, a.output);
  if (!inside) t.guards.push_back({t.position, 0, a.output});
  return t;
}

// The contributions to an output: the positions of the input, the taps, and the conditions on them.
struct Meeting {
  At positions, taps;
  std::vector<ir::Guard> guards;
};

Meeting meeting_at(const TransposedShape& s, const At& at, const At& number_of) {
  Meeting m;
  for (size_t d = 0; d < s.window.size(); ++d) {
    const Term t = term_of(s.window[d], at[d + 2], number_of[d]);
    m.positions.push_back(t.position), m.taps.push_back(t.tap);
    m.guards.insert(m.guards.end(), t.guards.begin(), t.guards.end());
  }
  return m;
}

Scalar load_where(LowerContext& c, ir::BufferId buffer, const At& at, const std::vector<ir::Guard>& guards) {
  if (guards.empty()) return load(c, buffer, at);
  const DType type = c.program().buffer(buffer).type;
  return scalar(c, c.exprs().load(buffer, type, at, guards, number(c, ir::value_type(type), 0)));
}

void emit_gather(LowerContext& c, const TransposedShape& s, ir::BufferId products, ir::BufferId sum) {
  emit_reduction(c, {"gather", sum, terms_of(s.window), ir::ReduceOp::sum,
                     [&](const At& at, const At& term) {
                       const Meeting m = meeting_at(s, at, term);
                       At from = {at[0], floordiv(at[1], s.out_channels)};
                       append(from, m.positions), append(from, m.taps);
                       from.push_back(mod(at[1], s.out_channels));
                       return load_where(c, products, from, m.guards);
                     },
                     nullptr});
}

// The outputs stride * q + phase of one axis. Of s taps in a row, one meets each of them, the first one being `tap` for
// phase 0 and, if the pad is no multiple of the stride, which is 2 then, the other one for phase 1.
struct Phases {
  const WindowAxis& axis;
  int64_t pad, terms;  // terms: taps that an output meets

  IndexExpr outputs() const { return ir::floordiv(axis.input, axis.stride); }
  bool is_shifted() const { return pad % axis.stride != 0; }
  IndexExpr output(IndexExpr q, IndexExpr phase) const { return q * axis.stride + phase; }
  // The last tap comes first, so that positions ascend like those of a convolution.
  IndexExpr tap(IndexExpr phase, IndexExpr term) const {
    return (is_shifted() ? 1 - phase : phase) + (terms - 1 - term) * axis.stride;
  }
  IndexExpr position(IndexExpr q, IndexExpr phase, IndexExpr term) const {
    return q + pad / axis.stride + (is_shifted() ? phase : 0) - (terms - 1 - term) * axis.dilation;
  }
};

std::optional<Phases> phases_of(const WindowAxis& a) {
  if (!a.kernel.is_constant() || !a.pad_begin.is_constant() || a.pad_begin.constant() < 0) return std::nullopt;
  const int64_t pad = a.pad_begin.constant(), kernel = a.kernel.constant();
  const bool regular =
      a.stride == 1 || (a.dilation == 1 && kernel % a.stride == 0 && (a.stride == 2 || pad % a.stride == 0) &&
                        ir::prove_equal(mod(a.input, a.stride), 0));
  return regular ? std::optional(Phases{a, pad, kernel / a.stride}) : std::nullopt;
}

// Those of all axes; empty if an axis has none.
std::vector<Phases> phases_of(const Window& window) {
  std::vector<Phases> all;
  for (const WindowAxis& a : window) {
    const auto phases = phases_of(a);
    if (!phases) return {};
    all.push_back(*phases);
  }
  return all;
}

// Adds loops that choose the weights, and returns their variables; one point needs no loop.
At add_batch_loops(LowerContext& c, ir::LoopNest& nest, const Shape& extents) {
  At variables;
  for (IndexExpr extent : extents)
    variables.push_back(extent.is_constant(1) ? 0 : add_loops(c, nest, nest.loops, {extent}, AxisRole::batch, "p")[0]);
  return variables;
}

// Zeros outside of the image, times an infinite weight, would not be zero.
bool weights_are_finite(const LowerContext& c) {
  const Tensor* weights = c.constant(1);
  if (!weights) return false;
  const std::vector<double> values = numbers_of(*weights);
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// With many channels, products take so much longer than the gathering of their sums that it does not matter, and are
// faster than those of phases, whose rows are not evenly spaced where the image ends. With one tap, or a stride of 1,
// phases are always faster.
bool gathers_faster(const TransposedShape& s, const std::vector<Phases>& axes) {
  constexpr int64_t kManyChannels = 128;
  const bool has_phases = std::any_of(axes.begin(), axes.end(), [](const Phases& p) { return p.axis.stride > 1; });
  const bool has_terms = std::any_of(axes.begin(), axes.end(), [](const Phases& p) { return p.terms > 1; });
  return has_phases && has_terms && !ir::prove_less(s.in_channels, kManyChannels);
}

// The sums of each phase of the outputs by itself, like those of a group of channels; nullopt if the phases meet
// different numbers of taps, zeros around the image would make a difference, or this is slower.
std::optional<ir::LoopNest> sums_by_phases(LowerContext& c, const TransposedShape& s, ir::BufferId sum) {
  const std::vector<Phases> axes = phases_of(s.window);
  if (axes.empty() || gathers_faster(s, axes)) return std::nullopt;
  const DType type = ir::value_type(c.dtype(0));
  Shape strides, outputs, terms;
  for (const Phases& p : axes)
    strides.push_back(p.axis.stride), outputs.push_back(p.outputs()), terms.push_back(p.terms);
  ir::LoopNest nest;
  const IndexExpr n = add_loops(c, nest, nest.loops, {s.batch}, AxisRole::rows, "o")[0];
  const IndexExpr group = add_batch_loops(c, nest, {s.groups})[0];
  const At phase = add_batch_loops(c, nest, strides);
  const IndexExpr column = add_loops(c, nest, nest.loops, {s.out_channels}, AxisRole::columns, "m")[0];
  const At q = add_loops(c, nest, nest.loops, outputs, AxisRole::rows, "o");
  const At term = add_loops(c, nest, nest.reduced, terms, AxisRole::k, "k");
  const IndexExpr in_channel = add_loops(c, nest, nest.reduced, {s.in_channels}, AxisRole::k, "k")[0];
  const IndexExpr channel = group * s.in_channels + in_channel;
  At from = {n, channel}, weight = {channel, column}, to = {n, group * s.out_channels + column};
  for (size_t d = 0; d < axes.size(); d++) {
    from.push_back(axes[d].position(q[d], phase[d], term[d]));
    weight.push_back(axes[d].tap(phase[d], term[d]));
    to.push_back(axes[d].output(q[d], phase[d]));
  }
  const Scalar input = load_inside(c, c.input_buffer(0), from, number(c, type, 0));
  if (!input.expr->guards.empty() && !weights_are_finite(c)) return std::nullopt;
  nest.reductions.push_back({ir::ReduceOp::sum, type, input * load_input(c, 1, weight)});
  nest.stores.push_back({sum, to, c.exprs().accumulator(0, type)});
  return nest;
}

// Groups of few channels do not make a product large enough: outputs sum their terms directly.
bool has_few_channels_in_groups(const TransposedShape& s) {
  constexpr int64_t kFewChannels = 8;
  const auto few = [](IndexExpr channels) { return channels.is_constant() && channels.constant() <= kFewChannels; };
  return s.groups > 1 && few(s.in_channels) && few(s.out_channels);
}

void emit_narrow_groups(LowerContext& c, const TransposedShape& s, ir::BufferId sum) {
  Shape terms = terms_of(s.window);
  terms.push_back(s.in_channels);
  emit_reduction(c, {"", sum, terms, ir::ReduceOp::sum,
                     [&](const At& at, const At& term) {
                       const Meeting m = meeting_at(s, at, term);
                       const IndexExpr channel = floordiv(at[1], s.out_channels) * s.in_channels + term.back();
                       At from = {at[0], channel}, weight = {channel, mod(at[1], s.out_channels)};
                       append(from, m.positions), append(weight, m.taps);
                       return load_where(c, c.input_buffer(0), from, m.guards) *
                              load_where(c, c.input_buffer(1), weight, m.guards);
                     },
                     nullptr});
}

void lower_conv_transpose(LowerContext& c) {
  TransposedShape s = transposed_shape(c);
  DType type = ir::value_type(c.dtype(0));
  if (is_zero_sized(s.output)) {
    return c.emit_pointwise(c.output_buffer(0), [&](const At&) { return number(c, type, 0); });
  }
  bool biased = c.has_input(2);
  ir::BufferId sum = biased ? c.temporary(type, s.output) : c.output_buffer(0);
  if (has_few_channels_in_groups(s)) {
    emit_narrow_groups(c, s, sum);
  } else if (auto by_phases = sums_by_phases(c, s, sum)) {
    c.emit(std::move(*by_phases));
  } else {
    ir::BufferId products = c.temporary(type, s.products);
    emit_tap_products(c, s, products, type);
    emit_gather(c, s, products, sum);
  }
  if (!biased) return;
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return load(c, sum, at) + load_input(c, 2, {at[1]}); }, "bias");
}

}  // namespace

std::vector<Op> conv_transpose_ops() {
  return {
      {.name = "ConvTranspose",
       .versions = {{1,
                     "auto_pad:string dilations:ints group:int kernel_shape:ints output_padding:ints output_shape:ints "
                     "pads:ints strides:ints"},
                    11,
                    22},
       .inputs = {2, 3},
       .infer = infer_conv_transpose,
       .lower = lower_conv_transpose},
  };
}

}  // namespace cppgen::ops
