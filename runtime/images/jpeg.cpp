#include "runtime/base/errors.h"
#include "runtime/images/codec.h"
#include "runtime/images/image.h"

#if __has_include(<jpeglib.h>)
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs

namespace cppgen::rt {
namespace {

struct JpegCodec {
  SystemCodec codec{"JPEG", {JPEG_LIB_VERSION >= 80 ? "libjpeg.so.8" : "libjpeg.so.62"}};
#define CPPGEN_JPEG(name) decltype(::name)* name = codec.function<decltype(::name)>(#name)
  CPPGEN_JPEG(jpeg_std_error);
  CPPGEN_JPEG(jpeg_CreateDecompress);
  CPPGEN_JPEG(jpeg_mem_src);
  CPPGEN_JPEG(jpeg_read_header);
  CPPGEN_JPEG(jpeg_start_decompress);
  CPPGEN_JPEG(jpeg_read_scanlines);
  CPPGEN_JPEG(jpeg_destroy_decompress);
#undef CPPGEN_JPEG
};

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf* back = nullptr;  // the place to which an error returns
};

// libjpeg's way out of an error.
[[noreturn]] void leave(j_common_ptr common) { std::longjmp(*reinterpret_cast<Errors*>(common->err)->back, 1); }
void say_nothing(j_common_ptr) {}
void say_nothing_at(j_common_ptr, int) {}

// A decompression whose calls give false if libjpeg reports an error. Nothing with a destructor lives in the functions
// that it jumps out of.
class Jpeg {
 public:
  Jpeg() {
    state_.err = calls().jpeg_std_error(&errors_.base);
    errors_.base.error_exit = leave;
    errors_.base.output_message = say_nothing;
    errors_.base.emit_message = say_nothing_at;
  }
  ~Jpeg() { calls().jpeg_destroy_decompress(&state_); }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;

  bool read_header(Bytes file) {
    std::jmp_buf back;
    errors_.back = &back;
    if (setjmp(back)) return false;
    calls().jpeg_CreateDecompress(&state_, JPEG_LIB_VERSION, sizeof(state_));
    calls().jpeg_mem_src(&state_, file.data(), static_cast<unsigned long>(file.size()));
    return calls().jpeg_read_header(&state_, TRUE) == JPEG_HEADER_OK;
  }
  bool read_pixels(uint8_t* pixels) {
    std::jmp_buf back;
    errors_.back = &back;
    if (setjmp(back)) return false;
    state_.out_color_space = JCS_RGB;
    calls().jpeg_start_decompress(&state_);
    while (state_.output_scanline < state_.output_height) {
      uint8_t* row = pixels + size_t(3) * state_.output_width * state_.output_scanline;
      if (calls().jpeg_read_scanlines(&state_, &row, 1) != 1) return false;
    }
    return true;
  }
  const jpeg_decompress_struct& state() const { return state_; }

 private:
  static const JpegCodec& calls() {
    static const JpegCodec codec;
    return codec;
  }
  jpeg_decompress_struct state_{};
  Errors errors_{};
};

}  // namespace

std::optional<Image> decode_jpeg(Bytes file) {
  Jpeg jpeg;
  if (!jpeg.read_header(file)) return std::nullopt;
  if (jpeg.state().num_components > 3) user_error("JPEG images with four components are not supported");
  std::optional<Image> image = blank_image(jpeg.state().image_width, jpeg.state().image_height);
  if (!image || !jpeg.read_pixels(image->pixels.data())) return std::nullopt;
  return image;
}

}  // namespace cppgen::rt
#else
namespace cppgen::rt {

std::optional<Image> decode_jpeg(Bytes) {
  user_error("this build cannot read JPEG images: libjpeg's headers were missing");
}

}  // namespace cppgen::rt
#endif
