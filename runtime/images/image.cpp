#include "runtime/images/image.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kMostPixels = int64_t(1) << 28;

bool has_at(Bytes file, size_t at, std::string_view text) {
  if (file.size() < at + text.size()) return false;
  return std::equal(text.begin(), text.end(), file.begin() + std::ptrdiff_t(at),
                    [](char a, uint8_t b) { return uint8_t(a) == b; });
}

bool is_pnm(Bytes file) { return file.size() > 2 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6'; }
bool is_tiff(Bytes file) {
  using namespace std::string_view_literals;
  return has_at(file, 0, "II*\0"sv) || has_at(file, 0, "MM\0*"sv);
}
bool is_jpeg_2000(Bytes file) { return has_at(file, 4, "jP  \r\n\x87\n") || has_at(file, 0, "\xff\x4f\xff\x51"); }

}  // namespace

std::optional<Image> decode_image(Bytes file) {
  if (has_at(file, 0, "BM")) return decode_bmp(file);
  if (has_at(file, 0, "\x89PNG\r\n\x1a\n")) return decode_png(file);
  if (has_at(file, 0, "\xff\xd8\xff")) return decode_jpeg(file);
  if (has_at(file, 0, "RIFF") && has_at(file, 8, "WEBP")) return decode_webp(file);
  if (is_tiff(file)) return decode_tiff(file);
  if (is_pnm(file)) return decode_pnm(file);
  if (is_jpeg_2000(file)) user_error("JPEG 2000 images are not supported");
  return std::nullopt;
}

std::optional<Image> blank_image(int64_t width, int64_t height) {
  if (width < 1 || height < 1) return std::nullopt;
  if (width > kMostPixels / height) user_error("an image of {} x {} pixels is too large", width, height);
  return Image{width, height, std::vector<uint8_t>(size_t(3 * width * height))};
}

void keep_colours(std::span<const uint8_t> four_bytes, Image& image) {
  for (size_t i = 0; i < image.pixels.size() / 3; ++i) std::copy_n(&four_bytes[4 * i], 3, &image.pixels[3 * i]);
}

}  // namespace cppgen::rt
