#include <algorithm>
#include <cstdarg>
#include <cstring>

#include "runtime/images/codec.h"
#include "runtime/images/image.h"

namespace cppgen::rt {
namespace {

// Declared as in libtiff's header (4.5 and later), which the build therefore does not need. TIFF and TIFFOpenOptions
// are handles.
using Size = std::ptrdiff_t;
using Offset = uint64_t;
using Transfer = Size(void* file, void* to, Size);
using Seek = Offset(void* file, Offset, int whence);
using Close = int(void* file);
using Length = Offset(void* file);
using Map = int(void* file, void** base, Offset* size);
using Unmap = void(void* file, void* base, Offset size);
using Message = int(void* tiff, void* user, const char* module, const char* format, va_list);
using AllocateOptions = void*();
using FreeOptions = void(void*);
using SetHandler = void(void* options, Message*, void* user);
using Open = void*(const char* name, const char* mode, void* file, Transfer* read, Transfer* write, Seek*, Close*,
                   Length*, Map*, Unmap*, void* options);
using CloseTiff = void(void*);
using GetField = int(void*, uint32_t tag, ...);
using ReadRgba = int(void*, uint32_t width, uint32_t height, uint32_t* raster, int orientation, int stop_on_error);

constexpr uint32_t kWidth = 256, kHeight = 257;  // tags
constexpr int kTopLeft = 1;

struct MemoryFile {
  Bytes bytes;
  Offset at = 0;
};

Size read_from(void* file, void* to, Size count) {
  auto& memory = *static_cast<MemoryFile*>(file);
  if (memory.at >= memory.bytes.size() || count <= 0) return 0;
  const size_t copied = std::min<size_t>(size_t(count), memory.bytes.size() - memory.at);
  std::memcpy(to, memory.bytes.data() + memory.at, copied);
  memory.at += copied;
  return Size(copied);
}
Size write_nothing(void*, void*, Size) { return 0; }
Offset seek_in(void* file, Offset offset, int whence) {
  auto& memory = *static_cast<MemoryFile*>(file);
  memory.at = offset + (whence == SEEK_CUR ? memory.at : whence == SEEK_END ? memory.bytes.size() : 0);
  return memory.at;
}
int close_nothing(void*) { return 0; }
Offset length_of(void* file) { return static_cast<MemoryFile*>(file)->bytes.size(); }
int map_nothing(void*, void**, Offset*) { return 0; }
void unmap_nothing(void*, void*, Offset) {}
int ignore_message(void*, void*, const char*, const char*, va_list) { return 1; }

struct TiffCodec {
  SystemCodec codec{"TIFF", {"libtiff.so.6"}};
  AllocateOptions* allocate_options = codec.function<AllocateOptions>("TIFFOpenOptionsAlloc");
  FreeOptions* free_options = codec.function<FreeOptions>("TIFFOpenOptionsFree");
  SetHandler* on_error = codec.function<SetHandler>("TIFFOpenOptionsSetErrorHandlerExtR");
  SetHandler* on_warning = codec.function<SetHandler>("TIFFOpenOptionsSetWarningHandlerExtR");
  Open* open = codec.function<Open>("TIFFClientOpenExt");
  CloseTiff* close = codec.function<CloseTiff>("TIFFClose");
  GetField* get_field = codec.function<GetField>("TIFFGetField");
  ReadRgba* read_rgba = codec.function<ReadRgba>("TIFFReadRGBAImageOriented");
};

// A file that libtiff has open; null if it cannot read it.
struct OpenTiff {
  const TiffCodec& calls;
  void* tiff = nullptr;
  OpenTiff(const TiffCodec& codec, MemoryFile& file) : calls(codec) {
    void* options = calls.allocate_options();
    calls.on_error(options, ignore_message, nullptr);
    calls.on_warning(options, ignore_message, nullptr);
    // m: the file cannot be mapped.
    tiff = calls.open("picture", "rm", &file, read_from, write_nothing, seek_in, close_nothing, length_of, map_nothing,
                      unmap_nothing, options);
    calls.free_options(options);
  }
  ~OpenTiff() {
    if (tiff) calls.close(tiff);
  }
  OpenTiff(const OpenTiff&) = delete;
  OpenTiff& operator=(const OpenTiff&) = delete;
};

}  // namespace

std::optional<Image> decode_tiff(Bytes bytes) {
  static const TiffCodec codec;
  MemoryFile file{bytes};
  const OpenTiff open(codec, file);
  uint32_t width = 0, height = 0;
  if (!open.tiff || !codec.get_field(open.tiff, kWidth, &width) || !codec.get_field(open.tiff, kHeight, &height))
    return std::nullopt;
  std::optional<Image> image = blank_image(width, height);
  if (!image) return std::nullopt;
  std::vector<uint32_t> raster(image->pixels.size() / 3);  // red is the lowest byte of each
  if (!codec.read_rgba(open.tiff, width, height, raster.data(), kTopLeft, 1)) return std::nullopt;
  keep_colours({reinterpret_cast<const uint8_t*>(raster.data()), raster.size() * 4}, *image);
  return image;
}

}  // namespace cppgen::rt
