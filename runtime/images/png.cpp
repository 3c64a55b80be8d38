#include "runtime/base/errors.h"
#include "runtime/images/image.h"
#include "runtime/images/library.h"

#if __has_include(<png.h>)
#include <png.h>

namespace cppgen::rt {

std::optional<Image> decode_png(Bytes file) {
  static const SystemLibrary library("PNG", {"libpng16.so.16"});
  static auto* const begin =
      library.function<decltype(png_image_begin_read_from_memory)>("png_image_begin_read_from_memory");
  static auto* const finish = library.function<decltype(png_image_finish_read)>("png_image_finish_read");
  static auto* const release = library.function<decltype(png_image_free)>("png_image_free");
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
  user_error("this build cannot read PNG pictures: libpng's headers were missing");
}

}  // namespace cppgen::rt
#endif
