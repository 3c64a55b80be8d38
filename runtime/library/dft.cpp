#include "runtime/plan/calls/dft.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/library/fourier.h"
#include "runtime/library/functions.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kLanes = 2;
constexpr int64_t kLongRow = 1 << 14;  // longer ones go one by one: two would leave the second-level cache

// The values of one lane.
double& lane_of(double& v, int64_t) { return v; }
double& lane_of(Lanes2& v, int64_t lane) { return reinterpret_cast<double*>(&v)[lane]; }
double lane_of(const double& v, int64_t) { return v; }
double lane_of(const Lanes2& v, int64_t lane) { return v[lane]; }

class DftTask : public LibraryTask {
 public:
  DftTask(const DftCall<int64_t>& call, const BoundCall& bound) : call_(call), transform_(call.length, call.inverse) {
    // A core does about 2 operations a ns of these, of the 100 that the model of chunks takes for granted.
    const double flops = 50.0 * double(call.rows) * double(transform_.operations());
    chunks_ = chunk_count(groups(), call.rows * call.length, int64_t(std::min(flops, 1e18)),
                          bound.bytes[0] + bound.bytes[1], bound.min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return transform_.values() * lanes() * int64_t(sizeof(ComplexOf<double>)); }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    call_.type == DType::f32 ? run_as<float>(buffers, chunk, scratch) : run_as<double>(buffers, chunk, scratch);
  }

 private:
  int64_t lanes() const { return call_.length > kLongRow ? 1 : kLanes; }
  int64_t groups() const { return (call_.rows + lanes() - 1) / lanes(); }

  template <class T>
  void run_as(std::span<void* const> buffers, int64_t chunk, char* scratch) const {
    const T* from = static_cast<const T*>(buffers[0]);
    T* to = static_cast<T*>(buffers[1]);
    const ChunkRange range = chunk_range(groups(), chunks_, chunk);
    for (int64_t group = range.begin; group < range.end; group++)
      lanes() == 1 ? run_group<T, double>(from, to, group, scratch) : run_group<T, Lanes2>(from, to, group, scratch);
  }

  template <class T, class V>
  void run_group(const T* from, T* to, int64_t group, char* scratch) const {
    const int64_t first = group * lanes(), count = std::min(lanes(), call_.rows - first);
    auto* room = reinterpret_cast<ComplexOf<V>*>(scratch);
    std::fill_n(room, call_.length, ComplexOf<V>{});
    for (int64_t lane = 0; lane < count; lane++) {
      const T* row = from + (first + lane) * call_.length * call_.parts;
      for (int64_t i = 0; i < call_.length; i++, row += call_.parts) {
        lane_of(room[i].re, lane) = double(row[0]);
        if (call_.parts == 2) lane_of(room[i].im, lane) = double(row[1]);
      }
    }
    const ComplexOf<V>* result = transform_.run(room);
    for (int64_t k = 0; k < call_.bins; k++) {
      const ComplexOf<V> y = call_.inverse ? scaled(result[k]) : result[k];
      for (int64_t lane = 0; lane < count; lane++) {
        T* pair = to + ((first + lane) * call_.bins + k) * 2;
        pair[0] = T(lane_of(y.re, lane)), pair[1] = T(lane_of(y.im, lane));
      }
    }
  }

  template <class V>
  ComplexOf<V> scaled(const ComplexOf<V>& y) const {
    return {y.re / double(call_.length), y.im / double(call_.length)};
  }

  DftCall<int64_t> call_;
  FourierTransform transform_;
  int64_t chunks_ = 0;
};

class Dft : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const DftCall<int64_t> call = read_call<DftCall<int64_t>>(kDft, bound);
    if (call.type != DType::f32 && call.type != DType::f64) user_error("plan: dft of type {}", name_of(call.type));
    constexpr int64_t kMostLength = int64_t(1) << 24;
    const bool fits = call.length >= 1 && call.length <= kMostLength && (call.parts == 1 || call.parts == 2) &&
                      call.bins >= 1 && call.bins <= call.length;
    if (!fits)
      user_error("plan: dft of {} rows of {} x {} samples, {} bins", call.rows, call.length, call.parts, call.bins);
    const auto row = [&](int64_t elements) {
      return checked_mul(call.rows, elements * int64_t(size_of(call.type)), "dft");
    };
    if (bound.bytes[0] != row(call.length * call.parts) || bound.bytes[1] != row(call.bins * 2))
      user_error("plan: the sizes of the buffers of dft do not match its parameters");
    return std::make_shared<DftTask>(call, bound);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_dft(const LibraryCall& call) {
  if (call.input_count != 1 || call.output_count != 1)
    user_error("plan: dft has {} inputs and {} outputs; expected 1 and 1", call.input_count, call.output_count);
  return std::make_unique<Dft>();
}

}  // namespace cppgen::rt
