#include "runtime/library/scatter_task.h"

namespace cppgen::rt {
namespace {

using namespace scatter;

class ScatterNdTask : public ScatterTask<ScatterNdTask> {
 public:
  ScatterNdTask(const ScatterNdCall<int64_t>& call, const BoundCall& bound)
      : ScatterTask(Shared(call.type, call.combine, call.addressed, call.slice)), rows_(call.rows), slice_(call.slice) {
    shared_.divide(bound, most_readers(rows_, rows_ * slice_ + bound.bytes[0] / int64_t(size_of(shared_.type))));
  }

  // A block of updates at a time: first those that fall into the range, so that their memory can be prefetched early.
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

class ScatterNd : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const ScatterNdCall<int64_t> call = read_call<ScatterNdCall<int64_t>>(kScatterNd, bound);
    check_call(bound, call.type, call.combine, checked_mul(product(call.addressed), call.slice, "scatter"),
               checked_mul(call.rows, int64_t(call.addressed.size()), "scatter"),
               checked_mul(call.rows, call.slice, "scatter"));
    return std::make_shared<ScatterNdTask>(call, bound);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_scatter_nd(const LibraryCall& call) {
  check_buffers(call);
  return std::make_unique<ScatterNd>();
}

}  // namespace cppgen::rt
