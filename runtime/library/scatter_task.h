#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "isa/arch/arch.h"
#include "runtime/base/checked.h"
#include "runtime/library/combine.h"
#include "runtime/library/functions.h"
#include "runtime/plan/calls/scatter.h"

// Code that scatters share: copies of their data, chunks, checks.
namespace cppgen::rt::scatter {

using Dims = std::vector<int64_t>;

inline int64_t position_of(int64_t index, int64_t extent, size_t axis) {
  const int64_t position = index < 0 ? index + extent : index;
  if (position < 0 || position >= extent)
    user_error("an index on axis {} is {}, which is not in [{}, {}]", axis, index, -extent, extent - 1);
  return position;
}

// The stride of each dimension, in elements.
inline Dims strides_of(std::span<const int64_t> dims, int64_t last) {
  Dims strides(dims.size(), last);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// The first dimension that is not 1: each of its positions is contiguous in memory, and chunks divide it.
inline size_t divided_dimension(std::span<const int64_t> dims) {
  size_t d = 0;
  while (d + 1 < dims.size() && dims[d] == 1) d++;
  return d;
}

// If every chunk reads all indices for its part of the result, there are more chunks than this only if reading is a
// small part of the work.
constexpr int64_t kReaders = 4, kWorkPerIndex = 4;

inline int64_t most_readers(int64_t indices, int64_t work) {
  return std::max(kReaders, work / (kWorkPerIndex * std::max<int64_t>(indices, 1)));
}

// Results of more bytes than this are no longer in a cache when they are read, unless most of them are updated soon.
constexpr int64_t kLargeBytes = int64_t(16) << 20;

// Copies without going through the caches.
inline void copy_streaming(const char* from, char* to, int64_t bytes) {
  constexpr auto size = int64_t(sizeof(arch::StreamedBlock));
  const auto head = std::min(bytes, int64_t(-reinterpret_cast<uintptr_t>(to) & (size - 1)));
  std::memcpy(to, from, size_t(head));
  int64_t i = head;
  for (; i + size <= bytes; i += size) {
    arch::StreamedBlock block;
    std::memcpy(&block, from + i, sizeof block);
    arch::store_streamed(to + i, block);
  }
  std::memcpy(to + i, from + i, size_t(bytes - i));
  arch::finish_streaming();
}

struct Shared {
  DType type;
  Combine combine;
  Dims dims, strides;  // of the addressed dimensions
  int64_t slice;       // elements of the slices that they address
  size_t divided = 0;
  int64_t chunks = 0;
  bool streams = false;

  Shared(DType type, Combine combine, Dims addressed, int64_t slice)
      : type(type),
        combine(combine),
        dims(std::move(addressed)),
        strides(strides_of(dims, slice)),
        slice(slice),
        divided(divided_dimension(dims)) {}

  int64_t extent() const { return dims.empty() ? 1 : dims[divided]; }
  int64_t stride() const { return dims.empty() ? slice : strides[divided]; }
  void divide(const BoundCall& call, int64_t most) {
    const int64_t elements = call.bytes[0] / int64_t(size_of(type)), updates = call.bytes[2] / int64_t(size_of(type));
    const int64_t bytes = 2 * call.bytes[0] + 16 * call.bytes[2];
    chunks = chunk_count(extent(), elements + updates, 0, bytes, call.min_chunk_size);
    // Updates of data without elements have indices that are refused.
    chunks = elements == 0 ? std::min<int64_t>(updates, 1) : std::min(chunks, most);
    streams = call.bytes[0] > kLargeBytes && 4 * call.bytes[2] < call.bytes[0];
  }
  // Copies the data of these positions of the divided dimension, unless the operation is in place.
  void copy(std::span<void* const> buffers, ChunkRange range) const {
    if (buffers[0] == buffers[3]) return;
    const int64_t bytes = stride() * int64_t(size_of(type)), begin = range.begin * bytes;
    const auto* from = static_cast<const char*>(buffers[0]) + begin;
    auto* to = static_cast<char*>(buffers[3]) + begin;
    const int64_t count = (range.end - range.begin) * bytes;
    streams ? copy_streaming(from, to, count) : (void)std::memcpy(to, from, size_t(count));
  }
};

// `Own` has apply<T, combine>(indices, updates, result, range): applies the updates that fall into the range, in order.
template <class Own>
class ScatterTask : public LibraryTask {
 public:
  explicit ScatterTask(Shared shared) : shared_(std::move(shared)) {}

  int64_t chunks() const override { return shared_.chunks; }

  void run(std::span<void* const> buffers, int64_t chunk, char*) const override {
    const ChunkRange range = chunk_range(shared_.extent(), shared_.chunks, chunk);
    shared_.copy(buffers, range);
    with_type(shared_.type, shared_.combine, [&]<class T, Combine combine>() {
      static_cast<const Own*>(this)->template apply<T, combine>(static_cast<const int64_t*>(buffers[1]),
                                                                static_cast<const T*>(buffers[2]),
                                                                static_cast<T*>(buffers[3]), range);
    });
  }

 protected:
  Shared shared_;
};

inline int64_t product(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) n = checked_mul(n, d, "scatter");
  return n;
}

// Checks that the combination is supported for the type and that the buffers have these numbers of elements.
inline void check_call(const BoundCall& call, DType type, Combine combine, int64_t data, int64_t indices,
                       int64_t updates) {
  const bool computes = dtype_row(type).storage == DTypeStorage::value;
  if (!computes && combine != Combine::replace)
    user_error("plan: scatter of type {} with combination {}", name_of(type), int(combine));
  const auto size = int64_t(size_of(type));
  const int64_t bytes = checked_mul(data, size, "scatter");
  if (call.bytes[0] != bytes || call.bytes[3] != bytes || call.bytes[1] != checked_mul(indices, 8, "scatter") ||
      call.bytes[2] != checked_mul(updates, size, "scatter"))
    user_error("plan: the sizes of the buffers of scatter do not match its parameters");
}

inline void check_buffers(const LibraryCall& call) {
  if (call.input_count != 3 || call.output_count != 1)
    user_error("plan: {} has {} inputs and {} outputs; expected 3 and 1", call.name, call.input_count,
               call.output_count);
}

}  // namespace cppgen::rt::scatter
