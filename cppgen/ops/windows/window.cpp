#include "cppgen/ops/windows/window.h"

#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

void pad_same(WindowAxis& a, bool upper) {
  a.output = ceildiv(a.input, a.stride);
  IndexExpr reach = (a.kernel - 1) * IndexExpr(a.dilation) + 1;
  IndexExpr total = ir::max((a.output - 1) * IndexExpr(a.stride) + reach - a.input, 0);
  a.pad_begin = upper ? floordiv(total, 2) : ceildiv(total, 2);
  a.pad_end = total - a.pad_begin;
}

void fit_output(InferContext& c, WindowAxis& a, bool ceil_mode) {
  IndexExpr reach = (a.kernel - 1) * IndexExpr(a.dilation) + 1;
  IndexExpr room = a.input + a.pad_begin + a.pad_end - reach;
  a.output = floordiv(room, a.stride) + 1;
  if (ceil_mode) a.output = ir::min(ceildiv(room, a.stride) + 1, ceildiv(a.input + a.pad_begin, a.stride));
  // A run refuses it where sizes are not constant.
  if (a.output.is_constant() && a.output.constant() < 0)
    c.fail(fmt::format("a window of {} does not fit into the padded input {}", ir::to_string(reach),
                       ir::to_string(a.input + a.pad_begin + a.pad_end)));
}

}  // namespace

std::vector<int64_t> per_axis(InferContext& c, const std::string& name, size_t axes, int64_t otherwise, int64_t least) {
  std::vector<int64_t> values = c.integers(name, std::vector<int64_t>(axes, otherwise));
  if (values.size() != axes) {
    c.fail(fmt::format("attribute '{}' has {} values; there must be {}", name, values.size(), axes));
  }
  for (int64_t v : values) {
    if (v < least || v > (int64_t(1) << 31)) {
      c.fail(fmt::format("attribute '{}' has the value {}; allowed are {} to 2^31", name, v, least));
    }
  }
  return values;
}

AutoPad auto_pad_of(InferContext& c) {
  using enum AutoPad;
  if (c.text("auto_pad", "").empty()) return notset;
  return choice<AutoPad>(
      c, "auto_pad", "NOTSET",
      {{"NOTSET", notset}, {"VALID", valid}, {"SAME_UPPER", same_upper}, {"SAME_LOWER", same_lower}});
}

Window window_of(InferContext& c, const Shape& spatial, const Shape& kernel, bool ceil_mode) {
  size_t axes = spatial.size();
  std::vector<int64_t> strides = per_axis(c, "strides", axes, 1, 1), dilations = per_axis(c, "dilations", axes, 1, 1);
  const AutoPad mode = auto_pad_of(c);
  std::vector<int64_t> pads(2 * axes, 0);
  if (mode == AutoPad::notset) pads = per_axis(c, "pads", 2 * axes, 0, 0);
  Window window;
  for (size_t d = 0; d < axes; ++d) {
    require_at_most(c, 1, kernel[d], "a kernel dimension is less than 1");
    WindowAxis a{spatial[d], kernel[d], strides[d], dilations[d], pads[d], pads[d + axes], 0};
    if (mode == AutoPad::same_upper || mode == AutoPad::same_lower) {
      pad_same(a, mode == AutoPad::same_upper);
    } else {
      fit_output(c, a, ceil_mode && mode == AutoPad::notset);
    }
    window.push_back(a);
  }
  return window;
}

Shape output_extents(const Window& window) {
  Shape out;
  for (const WindowAxis& a : window) out.push_back(a.output);
  return out;
}

Shape kernel_extents(const Window& window) {
  Shape out;
  for (const WindowAxis& a : window) out.push_back(a.kernel);
  return out;
}

}  // namespace cppgen::ops
