// Weights are products of one for the row and one for the column, so rows are summed first, for all columns that a
// region touches. Neighbouring channels are computed together, a block at a time.
#include "runtime/plan/calls/roi_align.h"

#include <array>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/library/combine.h"
#include "runtime/library/functions.h"
#include "runtime/library/roi_samples.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kBlock = 64;  // channels
constexpr int64_t kSide = 16;   // of them at once

struct Call : RoiAlignCall<int64_t> {
  int64_t blocks() const { return (channels + kBlock - 1) / kBlock; }
  int64_t cells() const { return cell_rows * cell_columns; }
};

// States where parts of a thread's scratch begin, for elements of type T.
template <class T>
struct Scratch {
  WeightedPixel<T>*rows, *columns;  // [rows, height], [columns, width]
  TouchedPixels *touched_rows, *touched_columns;
  T *sums, *cells;  // [width, kBlock], [rows, columns, kBlock]
  char* wanted;     // [width]
  int64_t bytes = 0;

  Scratch(char* memory, const Call& e) {  // null: for the size alone
    auto take = [&]<class P>(P*& part, int64_t count) {
      part = memory ? reinterpret_cast<P*>(memory + bytes) : nullptr;
      bytes += (count * int64_t(sizeof(P)) + 63) / 64 * 64;
    };
    take(rows, e.cell_rows * e.height), take(columns, e.cell_columns * e.width);
    take(touched_rows, e.cell_rows), take(touched_columns, e.cell_columns);
    take(sums, e.width * kBlock), take(cells, e.cells() * kBlock);
    take(wanted, e.width);
  }
};

// Combines `count` terms of `width` channels: the sum of weight x term, or the greatest bytes_of_dims.
template <class T, bool greatest, class TermAt>
void combine_terms(const WeightedPixel<T>* pixels, int64_t count, int64_t width, const TermAt& term_at, T* to) {
  for (int64_t begin = 0; begin < width; begin += kSide) {
    T sums[kSide];
    const int64_t side = std::min(kSide, width - begin);
    auto add = [&](const T* x, const WeightedPixel<T>& p, bool first, int64_t lanes) {
      for (int64_t k = 0; k < lanes; k++) {
        T next = x[k] * p.weight;
        if constexpr (greatest) next = combined<T, Combine::max>(next, x[k] * p.least);
        sums[k] = first ? next : combined < T, greatest ? Combine::max : Combine::sum > (sums[k], next);
      }
    };
    if (side == kSide) {
      for (int64_t i = 0; i < count; i++) add(term_at(pixels[i].pixel) + begin, pixels[i], i == 0, kSide);
    } else {
      for (int64_t i = 0; i < count; i++) add(term_at(pixels[i].pixel) + begin, pixels[i], i == 0, side);
    }
    std::copy_n(sums, side, to + begin);
  }
}

class RoiAlignTask : public LibraryTask {
 public:
  RoiAlignTask(const Call& call, int64_t min_chunk_size) : call_(call) {
    const int64_t work = call_.regions * call_.channels * call_.cells();
    chunks_ = work == 0 ? 0 : chunk_count(call_.regions * call_.blocks(), work, 64 * work, 8 * work, min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return Scratch<double>(nullptr, call_).bytes; }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    const ChunkRange units = chunk_range(call_.regions * call_.blocks(), chunks_, chunk);
    if (call_.type == DType::f32) {
      call_.greatest ? run_units<float, true>(buffers, units, scratch)
                     : run_units<float, false>(buffers, units, scratch);
    } else {
      call_.greatest ? run_units<double, true>(buffers, units, scratch)
                     : run_units<double, false>(buffers, units, scratch);
    }
  }

 private:
  // Returns what sums are multiplied by.
  template <class T>
  T weigh(const T* region, const Scratch<T>& s) const {
    const Call& e = call_;
    const SampledAxis<T> down(region[1], region[3], e.cell_rows, call_.samples, call_.half_pixel, T(call_.scale),
                              e.height);
    const SampledAxis<T> across(region[0], region[2], e.cell_columns, call_.samples, call_.half_pixel, T(call_.scale),
                                e.width);
    for (int64_t c = 0; c < e.cell_rows; c++)
      s.touched_rows[c] = weigh_pixels(down, c, call_.greatest, s.rows + c * e.height);
    std::fill_n(s.wanted, e.width, char(0));
    for (int64_t c = 0; c < e.cell_columns; c++) {
      WeightedPixel<T>* pixels = s.columns + c * e.width;
      s.touched_columns[c] = weigh_pixels(across, c, call_.greatest, pixels);
      for (int64_t k = 0; k < s.touched_columns[c].count; k++) s.wanted[pixels[k].pixel] = 1;
    }
    return call_.greatest ? T(1) : T(1) / (down.samples * across.samples);
  }

  int64_t image_of(int64_t index) const {
    const int64_t image = index < 0 ? index + call_.images : index;
    if (image < 0 || image >= call_.images)
      user_error("the image of a region is {}, which is not in [{}, {}]", index, -call_.images, call_.images - 1);
    return image;
  }

  template <class T, bool greatest>
  void run_units(std::span<void* const> buffers, ChunkRange units, char* memory) const {
    const Call& e = call_;
    const Scratch<T> scratch(memory, e);
    int64_t weighed = -1;
    T factor = 1;
    for (int64_t unit = units.begin; unit < units.end; unit++) {
      const int64_t region = unit / e.blocks(), channel = unit % e.blocks() * kBlock;
      const int64_t image = image_of(static_cast<const int64_t*>(buffers[2])[region]);
      const T* x = static_cast<const T*>(buffers[0]) + image * e.height * e.width * e.channels + channel;
      if (region != weighed) factor = weigh(static_cast<const T*>(buffers[1]) + region * 4, scratch);
      weighed = region;
      const int64_t width = std::min(kBlock, e.channels - channel);
      for (int64_t row = 0; row < e.cell_rows; row++) sample_row<T, greatest>(scratch, x, row, width, factor);
      store(scratch.cells, static_cast<T*>(buffers[3]) + (region * e.channels + channel) * e.cells(), width);
    }
  }

  template <class T, bool greatest>
  void sample_row(const Scratch<T>& s, const T* x, int64_t row, int64_t width, T factor) const {
    const Call& e = call_;
    const TouchedPixels rows = s.touched_rows[row];
    for (int64_t w = 0; w < e.width && rows.count > 0; w++) {
      auto pixel = [&](int64_t h) { return x + (h * e.width + w) * e.channels; };
      if (s.wanted[w])
        combine_terms<T, greatest>(s.rows + row * e.height, rows.count, width, pixel, s.sums + w * kBlock);
    }
    for (int64_t column = 0; column < e.cell_columns; column++) {
      T* cell = s.cells + (row * e.cell_columns + column) * kBlock;
      const TouchedPixels columns = s.touched_columns[column];
      if (rows.count == 0 || columns.count == 0) {
        std::fill_n(cell, kBlock, T(0));
        continue;
      }
      auto sum = [&](int64_t w) { return s.sums + w * kBlock; };
      combine_terms<T, greatest>(s.columns + column * e.width, columns.count, width, sum, cell);
      if (greatest && !rows.leaves && !columns.leaves) continue;
      for (int64_t k = 0; k < width; k++)
        cell[k] = greatest ? combined<T, Combine::max>(cell[k], T(0)) : cell[k] * factor;
    }
  }

  template <class T>
  void store(const T* cells, T* y, int64_t width) const {
    const int64_t count = call_.cells();
    for (int64_t k = 0; k < width; k++, y += count)
      for (int64_t c = 0; c < count; c++) y[c] = cells[c * kBlock + k];
  }

  Call call_;
  int64_t chunks_ = 0;
};

// The elements of these dimensions.
int64_t bytes_of_dims(std::initializer_list<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) n = checked_mul(n, d, "roi_align");
  return n;
}

class RoiAlign : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const Call e = read_call<Call>(kRoiAlign, bound);
    if (e.type != DType::f32 && e.type != DType::f64) user_error("plan: roi_align of type {}", name_of(e.type));
    const int64_t size = size_of(e.type);
    if (e.height < 1 || e.width < 1) user_error("the images have no elements to sample");
    const std::array<int64_t, 4> bytes = {bytes_of_dims({e.images, e.height, e.width, e.channels, size}),
                                          bytes_of_dims({e.regions, 4, size}), bytes_of_dims({e.regions, 8}),
                                          bytes_of_dims({e.regions, e.channels, e.cell_rows, e.cell_columns, size})};
    if (!std::equal(bytes.begin(), bytes.end(), bound.bytes.begin(), bound.bytes.end()) || e.samples < 0)
      user_error("plan: the sizes of the buffers of roi_align do not match its parameters");
    checked_add(bytes_of_dims({e.cell_rows, e.height, 64}), bytes_of_dims({e.cell_columns + kBlock, e.width, 64}),
                "roi_align");
    return std::make_shared<RoiAlignTask>(e, bound.min_chunk_size);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_roi_align(const LibraryCall& call) {
  if (call.input_count != 3 || call.output_count != 1)
    user_error("plan: roi_align has {} inputs and {} outputs; expected 3 and 1", call.input_count, call.output_count);
  return std::make_unique<RoiAlign>();
}

}  // namespace cppgen::rt
