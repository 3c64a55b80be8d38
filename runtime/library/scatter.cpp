#include "runtime/library/scatter.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/base/dtype.h"
#include "runtime/library/combine.h"

namespace cppgen::rt {
namespace {

using Dims = std::vector<int64_t>;

int64_t position_of(int64_t index, int64_t extent, size_t axis) {
  const int64_t position = index < 0 ? index + extent : index;
  if (position < 0 || position >= extent)
    user_error("an index on axis {} is {}, which is not in [{}, {}]", axis, index, -extent, extent - 1);
  return position;
}

// Elements between neighbours of each dimension.
Dims strides_of(std::span<const int64_t> dims, int64_t last) {
  Dims strides(dims.size(), last);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// The first dimension that is not 1: what lies between two of its positions is contiguous, and chunks divide it.
size_t divided_dimension(std::span<const int64_t> dims) {
  size_t d = 0;
  while (d + 1 < dims.size() && dims[d] == 1) d++;
  return d;
}

// Where chunks read all indices for a part of the result, there are more than this only if that is little of the work.
constexpr int64_t kReaders = 4, kWorkPerIndex = 4;

int64_t most_readers(int64_t indices, int64_t work) {
  return std::max(kReaders, work / (kWorkPerIndex * std::max<int64_t>(indices, 1)));
}

// Results of more than this are no longer in a cache when they are read, unless most of them are updated soon.
constexpr int64_t kLargeBytes = int64_t(16) << 20;

// Past the caches.
void copy_streaming(const char* from, char* to, int64_t bytes) {
  const auto head = std::min(bytes, int64_t(-reinterpret_cast<uintptr_t>(to) & 15));
  std::memcpy(to, from, size_t(head));
  int64_t i = head;
  for (; i + 64 <= bytes; i += 64)
    for (int64_t k = i; k < i + 64; k += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + k), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
  std::memcpy(to + i, from + i, size_t(bytes - i));
  _mm_sfence();
}

struct Shared {
  DType type;
  Combine combine;
  Dims dims, strides;  // of the addressed dimensions
  int64_t slice;       // elements of what they address
  size_t divided = 0;
  int64_t chunks = 0;
  bool streams = false;

  Shared(const BoundCall& call, Dims addressed, int64_t slice)
      : type(DType(call.params[kScatterDType])),
        combine(Combine(call.params[kScatterCombine])),
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
    chunks = elements == 0 ? 0 : std::min(chunks, most);
    streams = call.bytes[0] > kLargeBytes && 4 * call.bytes[2] < call.bytes[0];
  }
  // Copies the data of these positions of the divided dimension, unless the result lies in their place.
  void copy(std::span<void* const> buffers, ChunkRange range) const {
    if (buffers[0] == buffers[3]) return;
    const int64_t bytes = stride() * int64_t(size_of(type)), begin = range.begin * bytes;
    const auto* from = static_cast<const char*>(buffers[0]) + begin;
    auto* to = static_cast<char*>(buffers[3]) + begin;
    const int64_t count = (range.end - range.begin) * bytes;
    streams ? copy_streaming(from, to, count) : (void)std::memcpy(to, from, size_t(count));
  }
};

// `Own` has apply<T, combine>(indices, updates, result, range): the updates that fall into the range, in their order.
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

class ScatterElementsTask : public ScatterTask<ScatterElementsTask> {
 public:
  ScatterElementsTask(const BoundCall& call, Dims data, Dims updates)
      : ScatterTask(Shared(call, std::move(data), 1)),
        updates_(std::move(updates)),
        axis_(size_t(call.params[kScatterAxis])) {
    shared_.divide(call, axis_ == shared_.divided ? kReaders : int64_t(1) << 20);
    row_strides_ = strides_of(updates_, 1);
  }

  // Updates in their order; those of other positions of the divided dimension are left out.
  template <class T, Combine combine>
  void apply(const int64_t* indices, const T* updates, T* y, ChunkRange range) const {
    const size_t last = updates_.size() - 1;
    Dims begin(updates_.size(), 0), end = updates_;
    if (axis_ != shared_.divided) {
      begin[shared_.divided] = range.begin;
      end[shared_.divided] = std::min(range.end, updates_[shared_.divided]);
    }
    for (size_t d = 0; d < end.size(); d++)
      if (begin[d] >= end[d]) return;
    Dims at = begin;
    const int64_t extent = shared_.dims[axis_], stride = shared_.strides[axis_], step = axis_ == last ? 0 : 1;
    for (size_t d = last; d != ~size_t(0);) {
      int64_t row = 0, base = 0;
      for (size_t k = 0; k < last; k++) {
        row += at[k] * row_strides_[k];
        if (k != axis_) base += at[k] * shared_.strides[k];
      }
      for (int64_t j = begin[last]; j < end[last]; j++) {
        const int64_t position = position_of(indices[row + j], extent, axis_);
        if (axis_ == shared_.divided && (position < range.begin || position >= range.end)) continue;
        T& to = y[base + j * step + position * stride];
        to = combined<T, combine>(to, updates[row + j]);
      }
      for (d = last; d-- > 0;) {
        if (++at[d] < end[d]) break;
        at[d] = begin[d];
      }
    }
  }

 private:
  Dims updates_, row_strides_;
  size_t axis_;
};

class ScatterNdTask : public ScatterTask<ScatterNdTask> {
 public:
  ScatterNdTask(const BoundCall& call, Dims addressed)
      : ScatterTask(Shared(call, std::move(addressed), call.params[kScatterSlice])),
        rows_(call.params[kScatterRows]),
        slice_(call.params[kScatterSlice]) {
    shared_.divide(call, most_readers(rows_, rows_ * slice_ + call.bytes[0] / int64_t(size_of(shared_.type))));
  }

  // A block of updates at a time: first those that fall into the range, so that their memory can be asked for early.
  template <class T, Combine combine>
  void apply(const int64_t* indices, const T* updates, T* y, ChunkRange range) const {
    const auto depth = int64_t(shared_.dims.size());
    Aimed own[kBlock + kAhead] = {};
    for (int64_t first = 0; first < rows_; first += kBlock) {
      const int64_t rows = std::min(kBlock, rows_ - first);
      const int64_t count = find_own(indices + first * depth, rows, range, own);
      const T* block = updates + first * slice_;
      for (int64_t i = 0; i < count; i++) {
        const Aimed next = own[std::min(i + kAhead, count - 1)];
        fetch<T>(block + next.row * slice_, y + next.to);
        const T* from = block + own[i].row * slice_;
        T* to = y + own[i].to;
        for (int64_t k = 0; k < slice_; k++) to[k] = combined<T, combine>(to[k], from[k]);
      }
    }
  }

 private:
  static constexpr int64_t kBlock = 512, kAhead = 6, kLine = 64, kMostFetched = 512;

  // A row of a block of updates, and the first element that it is aimed at.
  struct Aimed {
    int64_t row, to;
  };

  int64_t find_own(const int64_t* indices, int64_t rows, ChunkRange range, Aimed* own) const {
    const size_t depth = shared_.dims.size();
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++) {
      int64_t base = 0, divided = 0;
      for (size_t k = 0; k < depth; k++) {
        const int64_t position = position_of(*indices++, shared_.dims[k], k);
        base += position * shared_.strides[k];
        if (k == shared_.divided) divided = position;
      }
      own[count] = {row, base};
      count += int64_t(divided >= range.begin) & int64_t(divided < range.end);
    }
    return count;
  }

  template <class T>
  void fetch(const T* from, T* to) const {
    const int64_t bytes = std::min(slice_ * int64_t(sizeof(T)), kMostFetched);
    for (int64_t at = 0; at < bytes; at += kLine) {
      __builtin_prefetch(reinterpret_cast<const char*>(from) + at);
      __builtin_prefetch(reinterpret_cast<char*>(to) + at, 1);
    }
  }

  int64_t rows_, slice_;
};

int64_t product(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) {
    if (d < 0) user_error("plan: scatter has a dimension {}", d);
    n = checked_mul(n, d, "scatter");
  }
  return n;
}

// Type and combination are known to each other, and the buffers have these numbers of elements.
void check_call(const BoundCall& call, size_t least, int64_t data, int64_t indices, int64_t updates) {
  const int64_t type = call.params[kScatterDType], combine = call.params[kScatterCombine];
  const bool known = type >= 0 && type < kDTypeCount && combine >= 0 && combine <= int64_t(Combine::min);
  const bool computes =
      known && (type <= int64_t(DType::boolean) && type != int64_t(DType::f16) && type != int64_t(DType::bf16));
  if (call.params.size() < least || !known || (!computes && combine != int64_t(Combine::replace)))
    user_error("plan: scatter of type {} with combination {}", type, combine);
  const auto size = int64_t(size_of(DType(type)));
  const int64_t bytes = checked_mul(data, size, "scatter");
  if (call.bytes[0] != bytes || call.bytes[3] != bytes || call.bytes[1] != checked_mul(indices, 8, "scatter") ||
      call.bytes[2] != checked_mul(updates, size, "scatter"))
    user_error("plan: the buffers of scatter have other sizes than its parameters say");
}

class ScatterElements : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    const auto rank = (int64_t(call.params.size()) - kScatterDims) / 2;
    if (rank < 1 || int64_t(call.params.size()) != kScatterDims + 2 * rank)
      user_error("plan: scatter_elements has {} parameters", call.params.size());
    const auto dims = call.params.subspan(kScatterDims);
    const Dims data(dims.begin(), dims.begin() + rank), updates(dims.begin() + rank, dims.end());
    check_call(call, kScatterDims, product(data), product(updates), product(updates));
    const int64_t axis = call.params[kScatterAxis];
    if (axis < 0 || axis >= rank) user_error("plan: scatter_elements along axis {} of {}", axis, rank);
    for (int64_t d = 0; d < rank; d++)
      if (d != axis && updates[size_t(d)] > data[size_t(d)])
        user_error("dimension {} of the indices is {}, that of the data {}", d, updates[size_t(d)], data[size_t(d)]);
    return std::make_shared<ScatterElementsTask>(call, data, updates);
  }
};

class ScatterNd : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    if (call.params.size() < kScatterAddressed) user_error("plan: scatter_nd has {} parameters", call.params.size());
    const auto dims = call.params.subspan(kScatterAddressed);
    const int64_t rows = product(call.params.subspan(kScatterRows, 1)),
                  slice = product(call.params.subspan(kScatterSlice, 1));
    const auto depth = int64_t(dims.size());
    check_call(call, kScatterAddressed, checked_mul(product(dims), slice, "scatter"),
               checked_mul(rows, depth, "scatter"), checked_mul(rows, slice, "scatter"));
    return std::make_shared<ScatterNdTask>(call, Dims(dims.begin(), dims.end()));
  }
};

void check_buffers(const LibraryCall& call) {
  if (call.input_count != 3 || call.output_count != 1)
    user_error("plan: {} has {} inputs and {} outputs; expected 3 and 1", call.name, call.input_count,
               call.output_count);
}

}  // namespace

std::unique_ptr<LibraryOperator> create_scatter_elements(const LibraryCall& call) {
  check_buffers(call);
  return std::make_unique<ScatterElements>();
}

std::unique_ptr<LibraryOperator> create_scatter_nd(const LibraryCall& call) {
  check_buffers(call);
  return std::make_unique<ScatterNd>();
}

}  // namespace cppgen::rt
