#include "runtime/library/dft.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/dtype.h"
#include "runtime/library/fourier.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kLanes = 4;
constexpr int64_t kLongRow = 1 << 13;  // longer ones go one by one: four would leave the second-level cache

struct Sizes {
  DType type;
  int64_t rows, length, parts, bins;
};

// The values of one lane.
double& lane_of(double& v, int64_t) { return v; }
double& lane_of(Lanes4& v, int64_t lane) { return reinterpret_cast<double*>(&v)[lane]; }
double lane_of(const double& v, int64_t) { return v; }
double lane_of(const Lanes4& v, int64_t lane) { return v[lane]; }

class DftTask : public LibraryTask {
 public:
  DftTask(const BoundCall& call, const Sizes& sizes)
      : sizes_(sizes), inverse_(call.params[kDftInverse] != 0), transform_(sizes.length, inverse_) {
    // A core does about 2 operations a ns of these, of the 100 that the model of chunks takes for granted.
    const double flops = 50.0 * double(sizes.rows) * double(transform_.operations());
    chunks_ = chunk_count(groups(), sizes.rows * sizes.length, int64_t(std::min(flops, 1e18)),
                          call.bytes[0] + call.bytes[1], call.min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return transform_.values() * lanes() * int64_t(sizeof(ComplexOf<double>)); }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    sizes_.type == DType::f32 ? run_as<float>(buffers, chunk, scratch) : run_as<double>(buffers, chunk, scratch);
  }

 private:
  int64_t lanes() const { return sizes_.length > kLongRow ? 1 : kLanes; }
  int64_t groups() const { return (sizes_.rows + lanes() - 1) / lanes(); }

  template <class T>
  void run_as(std::span<void* const> buffers, int64_t chunk, char* scratch) const {
    const T* from = static_cast<const T*>(buffers[0]);
    T* to = static_cast<T*>(buffers[1]);
    const ChunkRange range = chunk_range(groups(), chunks_, chunk);
    for (int64_t group = range.begin; group < range.end; group++)
      lanes() == 1 ? run_group<T, double>(from, to, group, scratch) : run_group<T, Lanes4>(from, to, group, scratch);
  }

  template <class T, class V>
  void run_group(const T* from, T* to, int64_t group, char* scratch) const {
    const int64_t first = group * lanes(), count = std::min(lanes(), sizes_.rows - first);
    auto* room = reinterpret_cast<ComplexOf<V>*>(scratch);
    std::fill_n(room, sizes_.length, ComplexOf<V>{});
    for (int64_t lane = 0; lane < count; lane++) {
      const T* row = from + (first + lane) * sizes_.length * sizes_.parts;
      for (int64_t i = 0; i < sizes_.length; i++, row += sizes_.parts) {
        lane_of(room[i].re, lane) = double(row[0]);
        if (sizes_.parts == 2) lane_of(room[i].im, lane) = double(row[1]);
      }
    }
    const ComplexOf<V>* result = transform_.run(room);
    const double scale = inverse_ ? double(sizes_.length) : 1;
    for (int64_t lane = 0; lane < count; lane++) {
      T* row = to + (first + lane) * sizes_.bins * 2;
      for (int64_t k = 0; k < sizes_.bins; k++) {
        row[2 * k] = T(lane_of(result[k].re, lane) / scale);
        row[2 * k + 1] = T(lane_of(result[k].im, lane) / scale);
      }
    }
  }

  Sizes sizes_;
  bool inverse_;
  FourierTransform transform_;
  int64_t chunks_ = 0;
};

Sizes sizes_of(const BoundCall& call) {
  if (call.params.size() != kDftParams) user_error("plan: dft has {} parameters", call.params.size());
  const auto& p = call.params;
  if (p[kDftDType] != int64_t(DType::f32) && p[kDftDType] != int64_t(DType::f64))
    user_error("plan: dft of type {}", p[kDftDType]);
  const Sizes s{DType(p[kDftDType]), p[kDftRows], p[kDftLength], p[kDftParts], p[kDftBins]};
  constexpr int64_t kMostLength = int64_t(1) << 24;
  const bool fits = s.rows >= 0 && s.length >= 1 && s.length <= kMostLength && (s.parts == 1 || s.parts == 2) &&
                    s.bins >= 1 && s.bins <= s.length;
  if (!fits) user_error("plan: dft of {} rows of {} x {} samples, {} bins", s.rows, s.length, s.parts, s.bins);
  return s;
}

class Dft : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    const Sizes s = sizes_of(call);
    const auto row = [&](int64_t elements) { return checked_mul(s.rows, elements * int64_t(size_of(s.type)), "dft"); };
    if (call.bytes[0] != row(s.length * s.parts) || call.bytes[1] != row(s.bins * 2))
      user_error("plan: the buffers of dft have other sizes than its parameters say");
    return std::make_shared<DftTask>(call, s);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_dft(const LibraryCall& call) {
  if (call.input_count != 1 || call.output_count != 1)
    user_error("plan: dft has {} inputs and {} outputs; expected 1 and 1", call.input_count, call.output_count);
  return std::make_unique<Dft>();
}

}  // namespace cppgen::rt
