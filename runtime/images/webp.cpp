#include "runtime/images/codec.h"
#include "runtime/images/image.h"

namespace cppgen::rt {
namespace {

// Declared as in libwebp's header, which the build therefore does not need.
using GetInfo = int(const uint8_t* data, size_t size, int* width, int* height);
using DecodeRgbInto = uint8_t*(const uint8_t* data, size_t size, uint8_t* to, size_t to_size, int stride);

}  // namespace

std::optional<Image> decode_webp(Bytes file) {
  static const SystemCodec codec("WebP", {"libwebp.so.7"});
  static auto* const get_info = codec.function<GetInfo>("WebPGetInfo");
  static auto* const decode = codec.function<DecodeRgbInto>("WebPDecodeRGBInto");
  int width = 0, height = 0;
  if (!get_info(file.data(), file.size(), &width, &height)) return std::nullopt;
  std::optional<Image> image = blank_image(width, height);
  if (!image || !decode(file.data(), file.size(), image->pixels.data(), image->pixels.size(), 3 * width))
    return std::nullopt;
  return image;
}

}  // namespace cppgen::rt
