#include "runtime/base/errors.h"
#include "runtime/images/codec.h"
#include "runtime/images/image.h"

#if __has_include(<png.h>)
#include <png.h>

namespace cppgen::rt {

std::optional<Image> decode_png(Bytes file) {
  static const SystemCodec codec("PNG", {"libpng16.so.16"});
  static auto* const begin =
      codec.function<decltype(png_image_begin_read_from_memory)>("png_image_begin_read_from_memory");
  static auto* const finish = codec.function<decltype(png_image_finish_read)>("png_image_finish_read");
  static auto* const release = codec.function<decltype(png_image_free)>("png_image_free");
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  struct Released {
    png_image& png;
    ~Released() { release(&png); }
  } released{png};
  if (!begin(&png, file.data(), file.size())) return std::nullopt;
  std::optional<Image> image = blank_image(png.width, png.height);
  png.format = PNG_FORMAT_RGBA;  // to RGB libpng would mix transparent pixels with a background
  std::vector<uint8_t> pixels(image ? image->pixels.size() / 3 * 4 : 0);
  if (!image || !finish(&png, nullptr, pixels.data(), 0, nullptr)) return std::nullopt;
  keep_colours(pixels, *image);
  return image;
}

}  // namespace cppgen::rt
#else
namespace cppgen::rt {

std::optional<Image> decode_png(Bytes) {
  user_error("this build cannot read PNG images: libpng's headers were missing");
}

}  // namespace cppgen::rt
#endif
