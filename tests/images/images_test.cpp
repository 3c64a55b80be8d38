// Small pictures of every format, whole, cut off and altered.
#include <gtest/gtest.h>

#include <string>

#include "runtime/base/errors.h"
#include "runtime/images/image.h"

namespace cppgen::rt {
namespace {

using File = std::vector<uint8_t>;

File file_of(const std::string& text) { return {text.begin(), text.end()}; }

// A BMP of this many bits a pixel; a negative height: rows from the top.
File bmp(int width, int height, int bits, const File& body) {
  File f = file_of("BM");
  const auto add = [&](uint32_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) f.push_back(uint8_t(value >> (8 * k)));
  };
  add(0, 8), add(54 + (bits == 8 ? 8 : 0), 4);  // size, reserved; where the pixels begin
  add(40, 4), add(uint32_t(width), 4), add(uint32_t(height), 4), add(1, 2), add(uint32_t(bits), 2), add(0, 16);
  add(bits == 8 ? 2 : 0, 4), add(0, 4);
  f.insert(f.end(), body.begin(), body.end());
  return f;
}

struct Picture {
  const char* name;
  File file;
  int64_t width, height;
  File pixels;
};
void PrintTo(const Picture& p, std::ostream* out) { *out << p.name; }

const File kTwoPixels{255, 0, 1, 2, 128, 254};

const Picture kPictures[] = {
    {"bmp", bmp(1, 2, 24, {3, 2, 1, 0, 6, 5, 4, 0}), 1, 2, {4, 5, 6, 1, 2, 3}},
    {"bmp_from_the_top", bmp(1, -2, 24, {3, 2, 1, 0, 6, 5, 4, 0}), 1, 2, {1, 2, 3, 4, 5, 6}},
    {"bmp_of_32_bits", bmp(2, 1, 32, {3, 2, 1, 9, 6, 5, 4, 9}), 2, 1, {1, 2, 3, 4, 5, 6}},
    {"bmp_with_palette", bmp(3, 1, 8, {3, 2, 1, 0, 6, 5, 4, 0, 1, 0, 7, 0}), 3, 1, {4, 5, 6, 1, 2, 3, 4, 5, 6}},
    {"pbm_text", file_of("P1 2 1\n01"), 2, 1, {255, 255, 255, 0, 0, 0}},
    {"pgm_text", file_of("P2\n# a comment\n2 1 15\n0 15\n"), 2, 1, {0, 0, 0, 255, 255, 255}},
    {"ppm_text", file_of("P3 1 1 255 1 2 3"), 1, 1, {1, 2, 3}},
    {"pbm", file_of("P4 1 2\n\x80\x7f"), 1, 2, {0, 0, 0, 255, 255, 255}},
    {"pgm", file_of("P5 2 1 255\nAB"), 2, 1, {65, 65, 65, 66, 66, 66}},
    {"ppm", file_of("P6 2 1 255\nABCDEF"), 2, 1, {65, 66, 67, 68, 69, 70}},
    {"png",
     {137, 80,  78, 71, 13, 10,  26, 10,  0,   0,   0,  13,  73, 72, 68, 82, 0,  0,   0,   2,  0,   0,   0,   1,
      8,   2,   0,  0,  0,  123, 64, 232, 221, 0,   0,  0,   15, 73, 68, 65, 84, 120, 156, 99, 248, 207, 192, 200,
      212, 240, 15, 0,  8,  9,   2,  129, 245, 213, 10, 163, 0,  0,  0,  0,  73, 69,  78,  68, 174, 66,  96,  130},
     2,
     1,
     kTwoPixels},
    {"webp",
     {82, 73, 70, 70, 38,  0, 0,   0,  87,  69,  66, 80,  86,  80,  56,  76,  25,  0,  0,   0,   47,  1, 0,
      0,  0,  15, 48, 128, 4, 146, 54, 219, 222, 63, 243, 183, 127, 254, 195, 189, 80, 129, 136, 254, 7, 0},
     2,
     1,
     kTwoPixels},
    {"tiff",
     {73, 73, 42, 0, 14, 0, 0, 0, 255, 0, 1,  2, 128, 254, 10, 0, 0,  1, 3,   0, 1, 0, 0,  0, 2, 0, 0, 0, 1,  1,
      3,  0,  1,  0, 0,  0, 1, 0, 0,   0, 2,  1, 3,   0,   3,  0, 0,  0, 140, 0, 0, 0, 3,  1, 3, 0, 1, 0, 0,  0,
      1,  0,  0,  0, 6,  1, 3, 0, 1,   0, 0,  0, 2,   0,   0,  0, 17, 1, 4,   0, 1, 0, 0,  0, 8, 0, 0, 0, 21, 1,
      3,  0,  1,  0, 0,  0, 3, 0, 0,   0, 22, 1, 3,   0,   1,  0, 0,  0, 1,   0, 0, 0, 23, 1, 4, 0, 1, 0, 0,  0,
      6,  0,  0,  0, 28, 1, 3, 0, 1,   0, 0,  0, 1,   0,   0,  0, 0,  0, 0,   0, 8, 0, 8,  0, 8, 0},
     2,
     1,
     kTwoPixels},
    {"jpeg",
     {255, 216, 255, 224, 0,   16,  74,  70,  73,  70,  0,   1,   1,   0,   0,   1,   0,   1,   0,   0,   255, 219, 0,
      67,  0,   8,   6,   6,   7,   6,   5,   8,   7,   7,   7,   9,   9,   8,   10,  12,  20,  13,  12,  11,  11,  12,
      25,  18,  19,  15,  20,  29,  26,  31,  30,  29,  26,  28,  28,  32,  36,  46,  39,  32,  34,  44,  35,  28,  28,
      40,  55,  41,  44,  48,  49,  52,  52,  52,  31,  39,  57,  61,  56,  50,  60,  46,  51,  52,  50,  255, 192, 0,
      11,  8,   0,   1,   0,   2,   1,   1,   17,  0,   255, 196, 0,   31,  0,   0,   1,   5,   1,   1,   1,   1,   1,
      1,   0,   0,   0,   0,   0,   0,   0,   0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  255, 196, 0,
      181, 16,  0,   2,   1,   3,   3,   2,   4,   3,   5,   5,   4,   4,   0,   0,   1,   125, 1,   2,   3,   0,   4,
      17,  5,   18,  33,  49,  65,  6,   19,  81,  97,  7,   34,  113, 20,  50,  129, 145, 161, 8,   35,  66,  177, 193,
      21,  82,  209, 240, 36,  51,  98,  114, 130, 9,   10,  22,  23,  24,  25,  26,  37,  38,  39,  40,  41,  42,  52,
      53,  54,  55,  56,  57,  58,  67,  68,  69,  70,  71,  72,  73,  74,  83,  84,  85,  86,  87,  88,  89,  90,  99,
      100, 101, 102, 103, 104, 105, 106, 115, 116, 117, 118, 119, 120, 121, 122, 131, 132, 133, 134, 135, 136, 137, 138,
      146, 147, 148, 149, 150, 151, 152, 153, 154, 162, 163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182,
      183, 184, 185, 186, 194, 195, 196, 197, 198, 199, 200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 225,
      226, 227, 228, 229, 230, 231, 232, 233, 234, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 255, 218, 0,   8,
      1,   1,   0,   0,   63,  0,   240, 85,  251, 163, 233, 95,  255, 217},
     2,
     1,
     {0, 0, 0, 5, 5, 5}},
};

class Pictures : public testing::TestWithParam<Picture> {
 protected:
  // Skips the test where the format's library is missing.
  void SetUp() override {
    try {
      decode_image(GetParam().file);
    } catch (const UserError& e) {
      GTEST_SKIP() << e.what();
    }
  }
};

TEST_P(Pictures, Decoded) {
  const auto image = decode_image(GetParam().file);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->width, GetParam().width);
  EXPECT_EQ(image->height, GetParam().height);
  EXPECT_EQ(image->pixels, GetParam().pixels);
}

// Damaged files give a picture, none or an error. What a decoder reads of them ends where the file ends, which the
// build with sanitizers checks: the file is an allocation of its own.
TEST_P(Pictures, Damaged) {
  const auto decode = [](const File& file) {
    try {
      const auto image = decode_image(file);
      EXPECT_TRUE(!image || int64_t(image->pixels.size()) == 3 * image->width * image->height);
    } catch (const UserError&) {
    }
  };
  const File& whole = GetParam().file;
  for (size_t size = 0; size < whole.size(); ++size) decode(File(whole.begin(), whole.begin() + std::ptrdiff_t(size)));
  for (size_t at = 0; at < whole.size(); ++at)
    for (int changed : {0, 1, 127, 255}) {
      File file = whole;
      file[at] = uint8_t(changed);
      decode(file);
    }
}

INSTANTIATE_TEST_SUITE_P(Images, Pictures, testing::ValuesIn(kPictures), [](const auto& i) { return i.param.name; });

TEST(Images, OtherFilesAreNone) {
  EXPECT_FALSE(decode_image({}));
  EXPECT_FALSE(decode_image(file_of("no picture")));
  EXPECT_FALSE(decode_image(file_of("P6 1 1 65535\nABCDEF")));
}

TEST(Images, RefusedWithTheReason) {
  const auto error_of = [](const File& file) -> std::string {
    try {
      decode_image(file);
      return "";
    } catch (const UserError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(error_of(file_of("\xff\x4f\xff\x51")), "JPEG 2000 images are not supported");
  EXPECT_EQ(error_of({bmp(1 << 20, 1 << 20, 24, {})}), "");  // the pixels are not there
}

}  // namespace
}  // namespace cppgen::rt
