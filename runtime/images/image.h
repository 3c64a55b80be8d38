#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cppgen::rt {

using Bytes = std::span<const uint8_t>;

// Rows of pixels from top to bottom, each with red, green and blue. Transparency in a file is ignored.
struct Image {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> pixels;  // 3 * width * height
};

// The first image of a file in one of the formats below; nullopt if the file is damaged or has another format.
// UserError if it requires a codec that this machine lacks, or has more than 2^28 pixels.
//
// The codecs are opened when the first image needs them, so that models without images do not depend on them.
std::optional<Image> decode_image(Bytes file);

// Decoders of one format each. The file must start like files of the format.
std::optional<Image> decode_bmp(Bytes);   // of 24 or 32 bits a pixel, or 8 with a palette; not compressed
std::optional<Image> decode_pnm(Bytes);   // PBM, PGM and PPM, as text or bytes, of at most 255 steps
std::optional<Image> decode_png(Bytes);   // libpng
std::optional<Image> decode_jpeg(Bytes);  // libjpeg
std::optional<Image> decode_webp(Bytes);  // libwebp
std::optional<Image> decode_tiff(Bytes);  // libtiff

// An image of this size whose pixels are 0; nullopt if a side is not positive. UserError if it is too large.
std::optional<Image> blank_image(int64_t width, int64_t height);
// Drops the fourth of every four bytes.
void keep_colours(std::span<const uint8_t> four_bytes, Image&);

}  // namespace cppgen::rt
