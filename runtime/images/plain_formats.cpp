// Formats that hold their pixels as they are.
#include <algorithm>

#include "runtime/images/image.h"

namespace cppgen::rt {
namespace {

// Little-endian numbers of a file; 0 beyond its end.
struct Numbers {
  Bytes file;
  uint32_t at(size_t place, int bytes) const {
    uint32_t value = 0;
    for (int k = 0; k < bytes; ++k)
      if (place + size_t(k) < file.size()) value |= uint32_t(file[place + size_t(k)]) << (8 * k);
    return value;
  }
};

constexpr size_t kBmpHeader = 14;  // before the header that contains the size

// The numbers and samples of a PNM file, one after the other.
class PnmReader {
 public:
  explicit PnmReader(Bytes file) : file_(file) {}

  // Behind spaces and comments; -1 if there is none.
  int64_t number() {
    skip_spaces();
    int64_t value = -1;
    for (; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9' && value < (1 << 28); ++at_)
      value = std::max<int64_t>(value, 0) * 10 + (file_[at_] - '0');
    return value;
  }
  int64_t digit() {  // of a picture of bits as text, which needs no spaces
    skip_spaces();
    return at_ < file_.size() && (file_[at_] == '0' || file_[at_] == '1') ? file_[at_++] - '0' : -1;
  }
  // The data after the single space that ends the header.
  Bytes rest() const { return at_ < file_.size() ? file_.subspan(at_ + 1) : Bytes(); }

 private:
  void skip_spaces() {
    for (; at_ < file_.size(); ++at_) {
      if (file_[at_] == '#')
        while (at_ + 1 < file_.size() && file_[at_] != '\n') ++at_;
      if (file_[at_] > ' ') return;
    }
  }
  Bytes file_;
  size_t at_ = 2;
};

struct PnmHeader {
  int64_t width, height, steps;
  int kind;  // 0 bits, 1 gray, 2 colours
  bool text;
  int64_t channels() const { return kind == 2 ? 3 : 1; }
};

// All samples, in the file's steps; nothing if the file ends before them.
std::optional<std::vector<uint8_t>> samples(PnmReader& reader, const PnmHeader& h) {
  const int64_t row = h.width * h.channels(), bytes = h.kind == 0 ? (row + 7) / 8 : row;
  std::vector<uint8_t> result(size_t(row * h.height));
  if (h.text) {
    for (uint8_t& sample : result) {
      const int64_t value = h.kind == 0 ? reader.digit() : reader.number();
      if (value < 0 || value > h.steps) return std::nullopt;
      sample = uint8_t(value);
    }
    return result;
  }
  const Bytes rest = reader.rest();
  if (int64_t(rest.size()) < bytes * h.height) return std::nullopt;
  for (int64_t y = 0; y < h.height; ++y)
    for (int64_t x = 0; x < row; ++x)
      result[size_t(y * row + x)] =
          h.kind == 0 ? rest[size_t(y * bytes + x / 8)] >> (7 - x % 8) & 1 : rest[size_t(y * bytes + x)];
  return result;
}

}  // namespace

std::optional<Image> decode_bmp(Bytes file) {
  const Numbers n{file};
  const uint32_t header = n.at(kBmpHeader, 4), bits = n.at(28, 2), method = n.at(30, 4);
  const int64_t width = int32_t(n.at(18, 4)), signed_height = int32_t(n.at(22, 4)), height = std::abs(signed_height);
  if (header < 40 || method != 0 || (bits != 8 && bits != 24 && bits != 32)) return std::nullopt;
  const int64_t row = (width * int64_t(bits) + 31) / 32 * 4, begin = n.at(10, 4);
  if (width < 1 || int64_t(file.size()) < begin || (int64_t(file.size()) - begin) / row < height) return std::nullopt;
  std::optional<Image> image = blank_image(width, height);
  if (!image) return std::nullopt;
  const uint32_t used = n.at(46, 4), colours = used == 0 || used > 256 ? 256 : used;
  for (int64_t y = 0; y < height; ++y) {
    const int64_t from = begin + (signed_height < 0 ? y : height - 1 - y) * row;
    for (int64_t x = 0; x < width; ++x) {
      size_t pixel = size_t(from + x * int64_t(bits) / 8);
      if (bits == 8) pixel = kBmpHeader + header + 4 * size_t(std::min<uint32_t>(file[pixel], colours - 1));
      for (size_t c = 0; c < 3; ++c) image->pixels[size_t(3 * (y * width + x)) + c] = uint8_t(n.at(pixel + 2 - c, 1));
    }
  }
  return image;
}

std::optional<Image> decode_pnm(Bytes file) {
  PnmReader reader(file);
  PnmHeader h{reader.number(), reader.number(), 1, (file[1] - '1') % 3, file[1] < '4'};
  if (h.kind != 0) h.steps = reader.number();
  if (h.steps < 1 || h.steps > 255) return std::nullopt;
  if (h.width < 1 || h.height < 1 || h.width > int64_t(file.size()) * 8 / h.height) return std::nullopt;
  std::optional<Image> image = blank_image(h.width, h.height);
  const auto values = samples(reader, h);
  if (!values) return std::nullopt;
  for (size_t i = 0; i < image->pixels.size(); ++i) {
    const int64_t value = std::min<int64_t>((*values)[h.kind == 2 ? i : i / 3], h.steps);
    image->pixels[i] = uint8_t(h.kind == 0 ? 255 * (1 - value) : (value * 255 + h.steps / 2) / h.steps);
  }
  return image;
}

}  // namespace cppgen::rt
