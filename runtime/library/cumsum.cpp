#include <algorithm>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/base/value_types.h"
#include "runtime/library/functions.h"
#include "runtime/plan/calls/cumulative.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kColumns = 64;  // neighbouring columns that are summed together

struct Add {
  static constexpr int kNeutral = 0;
  template <class T>
  static T apply(T a, T b) {
    return T(a + b);
  }
};
struct Multiply {
  static constexpr int kNeutral = 1;
  template <class T>
  static T apply(T a, T b) {
    return T(a * b);
  }
};

// The elements of one row. The sums within a block do not depend on the block before it, so that blocks overlap in the
// CPU.
template <class Op, class T, class Sum>
void scan_row(const T* x, T* y, int64_t count, int64_t step, bool exclusive) {
  constexpr int64_t kBlock = 8;
  Sum sum = Op::kNeutral;
  int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    Sum within[kBlock + 1];
    within[0] = Op::kNeutral;
    for (int64_t k = 0; k < kBlock; k++) within[k + 1] = Op::apply(within[k], Sum(x[(i + k) * step]));
    const Sum* own = within + (exclusive ? 0 : 1);
    for (int64_t k = 0; k < kBlock; k++) y[(i + k) * step] = T(Op::apply(sum, own[k]));
    sum = Op::apply(sum, within[kBlock]);
  }
  for (; i < count; i++) {
    const Sum next = Op::apply(sum, Sum(x[i * step]));
    y[i * step] = T(exclusive ? sum : next);
    sum = next;
  }
}

// `width` neighbouring columns, whose elements are `step` apart.
template <class Op, class T, class Sum>
void scan_columns(const T* x, T* y, int64_t count, int64_t step, int64_t width, bool exclusive) {
  Sum sums[kColumns];
  std::fill_n(sums, kColumns, Sum(Op::kNeutral));
  for (int64_t i = 0; i < count; i++, x += step, y += step) {
    for (int64_t k = 0; k < width; k++) {
      const Sum next = Op::apply(sums[k], Sum(x[k]));
      y[k] = T(exclusive ? sums[k] : next);
      sums[k] = next;
    }
  }
}

struct Extents {
  int64_t outer = 1, count = 1, inner = 1;

  Extents(std::span<const int64_t> dims, int64_t axis) {
    for (size_t d = 0; d < dims.size(); d++)
      (int64_t(d) < axis ? outer : int64_t(d) == axis ? count : inner) *= dims[d];
  }
  int64_t blocks() const { return (inner + kColumns - 1) / kColumns; }
  int64_t units() const { return outer * blocks(); }
};

template <class Op>
class CumulativeTask : public LibraryTask {
 public:
  CumulativeTask(CumulativeCall<int64_t> call, int64_t elements, int64_t bytes, int64_t min_chunk_size)
      : call_(std::move(call)) {
    const int64_t units =
        call_.axis == CumulativeCall<int64_t>::kAxisOfRun ? elements : Extents(call_.dims, call_.axis).units();
    chunks_ = elements == 0 ? 0 : chunk_count(units, elements, 0, 2 * bytes, min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }

  void run(std::span<void* const> buffers, int64_t chunk, char*) const override {
    const Extents extents(call_.dims,
                          call_.axis == CumulativeCall<int64_t>::kAxisOfRun ? axis_of_run(buffers[1]) : call_.axis);
    const ChunkRange units = chunk_range(extents.units(), chunks_, chunk);
    void* y = buffers[buffers.size() - 1];
    with_value_type(call_.type, [&]<class Value>(Value) {
      using T = Wrapping<Value>;
      using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
      run_units<T, Sum>(extents, units, buffers[0], y);
    });
  }

 private:
  int64_t axis_of_run(const void* buffer) const {
    const auto rank = int64_t(call_.dims.size()), axis = *static_cast<const int64_t*>(buffer);
    if (axis < -rank || axis >= rank) user_error("axis {} is not in [{}, {}]", axis, -rank, rank - 1);
    return axis < 0 ? axis + rank : axis;
  }

  template <class T, class Sum>
  void run_units(const Extents& e, ChunkRange units, const void* from, void* to) const {
    const bool reverse = call_.reverse;
    for (int64_t unit = units.begin; unit < units.end; unit++) {
      const int64_t column = unit % e.blocks() * kColumns, step = reverse ? -e.inner : e.inner;
      const int64_t first = unit / e.blocks() * e.count * e.inner + column + (reverse ? (e.count - 1) * e.inner : 0);
      const T* x = static_cast<const T*>(from) + first;
      T* y = static_cast<T*>(to) + first;
      if (e.inner == 1) {
        scan_row<Op, T, Sum>(x, y, e.count, reverse ? -1 : 1, call_.exclusive);
      } else {
        scan_columns<Op, T, Sum>(x, y, e.count, step, std::min(kColumns, e.inner - column), call_.exclusive);
      }
    }
  }

  CumulativeCall<int64_t> call_;
  int64_t chunks_ = 0;
};

template <class Op>
class Cumulative : public LibraryOperator {
 public:
  explicit Cumulative(size_t inputs) : inputs_(inputs) {}

  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const CumulativeCall<int64_t> call = read_call<CumulativeCall<int64_t>>(kCumSum, bound);
    if (dtype_row(call.type).storage != DTypeStorage::value || call.type == DType::boolean)
      user_error("plan: cumsum of type {}", name_of(call.type));
    const auto rank = int64_t(call.dims.size());
    if (rank < 1 || call.axis < CumulativeCall<int64_t>::kAxisOfRun || call.axis >= rank ||
        (call.axis == CumulativeCall<int64_t>::kAxisOfRun) != (inputs_ == 2))
      user_error("plan: cumsum along axis {} of {}", call.axis, rank);
    int64_t elements = 1;
    for (int64_t d : call.dims) elements = checked_mul(elements, d, "cumsum");
    const int64_t bytes = checked_mul(elements, int64_t(size_of(call.type)), "cumsum");
    const bool axis_fits = inputs_ == 1 || bound.bytes[1] == int64_t(sizeof(int64_t));
    if (bound.bytes[0] != bytes || bound.bytes[inputs_] != bytes || !axis_fits)
      user_error("plan: the sizes of the buffers of cumsum do not match its parameters");
    return std::make_shared<CumulativeTask<Op>>(call, elements, bytes, bound.min_chunk_size);
  }

 private:
  size_t inputs_;
};

template <class Op>
std::unique_ptr<LibraryOperator> create(const LibraryCall& call) {
  if (call.input_count < 1 || call.input_count > 2 || call.output_count != 1)
    user_error("plan: cumsum has {} inputs and {} outputs; expected 1 or 2 and 1", call.input_count, call.output_count);
  return std::make_unique<Cumulative<Op>>(call.input_count);
}

}  // namespace

std::unique_ptr<LibraryOperator> create_cumsum(const LibraryCall& call) { return create<Add>(call); }
std::unique_ptr<LibraryOperator> create_cumprod(const LibraryCall& call) { return create<Multiply>(call); }

}  // namespace cppgen::rt
