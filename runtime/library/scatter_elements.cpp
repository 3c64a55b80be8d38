#include "runtime/library/scatter_task.h"

namespace cppgen::rt {
namespace {

using namespace scatter;

class ScatterElementsTask : public ScatterTask<ScatterElementsTask> {
 public:
  ScatterElementsTask(const ScatterElementsCall<int64_t>& call, const BoundCall& bound)
      : ScatterTask(Shared(call.type, call.combine, call.data, 1)), updates_(call.updates), axis_(size_t(call.axis)) {
    shared_.divide(bound, axis_ == shared_.divided ? kReaders : int64_t(1) << 20);
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

class ScatterElements : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const ScatterElementsCall<int64_t> call = read_call<ScatterElementsCall<int64_t>>(kScatterElements, bound);
    const auto rank = int64_t(call.data.size());
    if (rank < 1 || call.updates.size() != call.data.size())
      user_error("plan: scatter_elements of ranks {} and {}", rank, call.updates.size());
    check_call(bound, call.type, call.combine, product(call.data), product(call.updates), product(call.updates));
    if (call.axis < 0 || call.axis >= rank) user_error("plan: scatter_elements along axis {} of {}", call.axis, rank);
    for (size_t d = 0; d < call.data.size(); d++)
      if (int64_t(d) != call.axis && call.updates[d] > call.data[d])
        user_error("dimension {} of the indices is {}, but that of the data is {}", d, call.updates[d], call.data[d]);
    return std::make_shared<ScatterElementsTask>(call, bound);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_scatter_elements(const LibraryCall& call) {
  check_buffers(call);
  return std::make_unique<ScatterElements>();
}

}  // namespace cppgen::rt
