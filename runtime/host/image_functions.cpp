// Pictures as tensors.
#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/images/image.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::rt {
namespace {

// The weights of red, green and blue with 16 fractional bits, from ITU-R 601-2: 0.299, 0.587 and 0.114.
uint8_t brightness(const uint8_t* pixel) {
  return uint8_t((pixel[0] * 19595 + pixel[1] * 38470 + pixel[2] * 7471 + 0x8000) >> 16);
}

// A file that no format can read gives an empty picture, as ONNX specifies.
std::vector<Value> decode(const HostCall& call, const DecodeImageCall& fields) {
  const Tensor& file = call.tensor(0);
  std::optional<Image> image;
  try {
    image = decode_image({file.as<uint8_t>(), size_t(file.bytes())});
  } catch (const UserError& e) {
    call.fail(e.what());
  }
  if (!image) image.emplace();
  const bool gray = fields.format == PixelFormat::grayscale;
  Tensor result(DType::u8, {image->height, image->width, gray ? 1 : 3});
  auto* to = result.as<uint8_t>();
  for (size_t i = 0; i < image->pixels.size(); i += 3) {
    const uint8_t* pixel = &image->pixels[i];
    if (gray)
      *to++ = brightness(pixel);
    else
      to =
          fields.format == PixelFormat::bgr ? std::reverse_copy(pixel, pixel + 3, to) : std::copy(pixel, pixel + 3, to);
  }
  return one_value(std::move(result));
}

}  // namespace

HostFunction prepare_decode_image(const HostStep& step) { return prepared(decode, step); }

}  // namespace cppgen::rt
