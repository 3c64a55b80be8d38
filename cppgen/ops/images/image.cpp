// Pictures in files.
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

std::string pixel_format(InferContext& c) {
  const std::string format = c.text("pixel_format", "RGB");
  if (format != "RGB" && format != "BGR" && format != "Grayscale")
    c.fail(fmt::format("pixel_format is '{}'; allowed are RGB, BGR and Grayscale", format));
  return format;
}

void infer(InferContext& c) {
  require_dtype(c, 0, bit(DType::u8));
  require_rank(c, 0, 1, 1);
  const IndexExpr rows = c.unknown_dimension(0, 0, "rows"), columns = c.unknown_dimension(0, 1, "columns");
  c.set_output(0, DType::u8, {rows, columns, pixel_format(c) == "Grayscale" ? 1 : 3});
}

rt::HostStep host(InferContext& c) {
  rt::HostStep step = host_call("decode_image");
  step.texts = {pixel_format(c)};
  return step;
}

}  // namespace

std::vector<Op> image_ops() {
  return {
      {.name = "ImageDecoder", .versions = {{20, "pixel_format:string"}}, .inputs = 1, .infer = infer, .host = host},
  };
}

}  // namespace cppgen::ops
