// Pictures in files.
#include "cppgen/ops/common.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::ops {
namespace {

rt::PixelFormat pixel_format(InferContext& c) {
  const std::string format = c.text("pixel_format", "RGB");
  if (format == "RGB") return rt::PixelFormat::rgb;
  if (format == "BGR") return rt::PixelFormat::bgr;
  if (format == "Grayscale") return rt::PixelFormat::grayscale;
  c.fail(fmt::format("pixel_format is '{}'; allowed are RGB, BGR and Grayscale", format));
}

void infer_image(InferContext& c) {
  require_dtype(c, 0, bit(DType::u8));
  require_rank(c, 0, 1, 1);
  const IndexExpr rows = c.unknown_dimension(0, 0, "rows"), columns = c.unknown_dimension(0, 1, "columns");
  c.set_output(0, DType::u8, {rows, columns, pixel_format(c) == rt::PixelFormat::grayscale ? 1 : 3});
}

rt::HostStep host(InferContext& c) { return host_call("decode_image", rt::DecodeImageCall{pixel_format(c)}); }

}  // namespace

std::vector<Op> image_ops() {
  return {
      {.name = "ImageDecoder",
       .versions = {{20, "pixel_format:string"}},
       .inputs = 1,
       .infer = infer_image,
       .host = host},
  };
}

}  // namespace cppgen::ops
