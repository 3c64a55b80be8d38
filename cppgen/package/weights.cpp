#include "cppgen/package/weights.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "cppgen/schedule/engines/packed_constant.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/helper_threads.h"

namespace cppgen::package {
namespace {

using schedule::PackedConstant;

// A file of this size, mapped for writing.
class WritableMapping {
 public:
  WritableMapping(const std::string& path, int64_t bytes) : path_(path), bytes_(bytes) {
    file_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file_) fail(errno);
    if (bytes == 0) return;
    if (int e = posix_fallocate(file_.get(), 0, bytes)) fail(e);
    void* p = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (p == MAP_FAILED) fail(errno);
    data_ = static_cast<char*>(p);
  }
  ~WritableMapping() {
    if (data_) munmap(data_, size_t(bytes_));
  }
  WritableMapping(const WritableMapping&) = delete;
  char* data() const { return data_; }

 private:
  std::string path_;
  int64_t bytes_;
  FileDescriptor file_;
  char* data_ = nullptr;

  [[noreturn]] void fail(int error) const {
    user_error("{}: cannot write {} bytes: {}", path_, bytes_, error_text(error));
  }
};

// A constant with its dimensions in the order of its layout.
void copy_in_order(const ir::Buffer& buffer, const schedule::Layout& layout, char* out) {
  const char* source = static_cast<const char*>(buffer.data.bytes);
  size_t element = size_of(buffer.type), rank = buffer.shape.size();
  if (layout == schedule::row_major(rank)) {
    std::memcpy(out, source, buffer.data.size);
    return;
  }
  auto strides = schedule::strides_of(buffer, schedule::row_major(rank));
  std::vector<int64_t> extent(rank), step(rank), at(rank, 0);
  for (size_t i = 0; i < rank; i++) {
    extent[i] = buffer.shape[size_t(layout.order[i])].constant();
    step[i] = strides[size_t(layout.order[i])].constant() * int64_t(element);
  }
  int64_t offset = 0;
  for (size_t done = 0; done < buffer.data.size; done += element) {
    std::memcpy(out + done, source + offset, element);
    for (size_t i = rank; i-- > 0;) {
      offset += step[i];
      if (++at[i] < extent[i]) break;
      offset -= step[i] * extent[i];
      at[i] = 0;
    }
  }
}

}  // namespace

void write_weights(const std::string& path, const schedule::Schedule& schedule,
                   const std::vector<WeightPlacement>& placements, int64_t bytes, int threads) {
  WritableMapping file(path, bytes);
  std::vector<const PackedConstant*> packed(schedule.program.buffers.size(), nullptr);
  for (const auto& p : schedule.packed) packed[size_t(p.packed)] = &p;

  each_on_threads(threads, placements.size(), [&](size_t i) {
    const auto& w = placements[i];
    char* out = file.data() + w.offset;
    if (const PackedConstant* p = packed[size_t(w.buffer)]) {
      const int64_t batches = int64_t(p->batch_offsets.size());
      for (int64_t b = 0; b < batches; b++)
        schedule::write_panels(schedule.program, *p, b, out + b * (w.bytes / batches));
    } else if (w.bytes > 0) {
      copy_in_order(schedule.program.buffer(w.buffer), schedule.layouts[size_t(w.buffer)], out);
    }
  });
}

}  // namespace cppgen::package
