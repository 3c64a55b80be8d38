#include <libxsmm.h>
#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "bench/kernels/contenders.h"
#include "bench/kernels/limits.h"

namespace cppgen::bench {
namespace {

// Everything is a sum of products over taps: result[row][column] += left[row at tap][k] *
// weights[tap][k][column]. libxsmm is column-major, so its first operand are the weights, its "m" our columns and
// its "n" our rows.
constexpr int64_t kPanel = 64;              // columns of a packed panel
constexpr int64_t kMostRows = 64;           // of one call
constexpr int64_t kSlabBytes = 256 * 1024;  // of weights that stay in the second-level cache

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The case as lines of evenly spaced rows: all rows of a product, an output row of pixels of a convolution.
struct Lines {
  int64_t lines, rows, columns;      // rows of a line
  int64_t k;                         // of a tap
  int64_t row_stride, line_stride;   // of the left operand
  std::vector<uint64_t> tap_offset;  // likewise, elements
};

Lines lines_of(const ContractionCase& c) {
  if (c.gemm) return {1, c.m, c.n, c.k, c.k, 0, {0}};
  if (c.kernel == 1 && c.stride == 1) return {1, c.size * c.size, c.out, c.in, c.in, 0, {0}};
  const int64_t width = c.size + 2 * c.pad();
  Lines l{c.out_size(), c.out_size(), c.out, c.in, c.stride * c.in, c.stride * width * c.in, {}};
  for (int64_t y = 0; y < c.kernel; y++)
    for (int64_t x = 0; x < c.kernel; x++) l.tap_offset.push_back(uint64_t((y * width + x) * c.in));
  return l;
}

// weights[panel][tap][k][column] of a panel, zero beyond the last column.
std::vector<float> packed(const ContractionCase& c, const Lines& l, const std::vector<float>& weights) {
  const int64_t taps = int64_t(l.tap_offset.size()), panels = ceil_div(l.columns, kPanel), area = c.kernel * c.kernel;
  std::vector<float> result(size_t(panels * taps * l.k * kPanel));
  for (int64_t column = 0; column < l.columns; column++)
    for (int64_t k = 0; k < taps * l.k; k++) {
      // k counts (y, x, channel) of the kernel.
      const int64_t from = c.gemm ? k * c.n + column : (column * c.in + k % c.in) * area + k / c.in;
      result[size_t((column / kPanel * taps * l.k + k) * kPanel + column % kPanel)] = weights[size_t(from)];
    }
  return result;
}

using Kernel = libxsmm_smmfunction_reducebatch_offs;

Kernel kernel_of(int64_t columns, int64_t rows, int64_t K, int64_t row_stride, int64_t out_stride, bool add) {
  const auto lda = libxsmm_blasint(kPanel), ldb = libxsmm_blasint(row_stride), ldc = libxsmm_blasint(out_stride);
  const float alpha = 1, beta = add ? 1 : 0;
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_PREFETCH_NONE;
  Kernel kernel =
      libxsmm_smmdispatch_reducebatch_offs(libxsmm_blasint(columns), libxsmm_blasint(rows), libxsmm_blasint(K), &lda,
                                           &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
  if (!kernel) throw std::runtime_error("libxsmm has no kernel for this CPU");
  return kernel;
}

// Blocks of one dimension, as even as they can be: `wide` blocks of `size`, the others one less.
struct Blocks {
  int64_t count, size, wide;
  Blocks(int64_t extent, int64_t most)
      : count(ceil_div(extent, most)), size(ceil_div(extent, count)), wide(extent - (size - 1) * count) {}
  int64_t begin(int64_t i) const { return i * size - std::max<int64_t>(0, i - wide); }
  int64_t extent(int64_t i) const { return size - (i >= wide); }
};

class XsmmContender : public Contender {
 public:
  XsmmContender(const ContractionCase& c, const Operands& operands, int threads)
      : case_(c),
        lines_(lines_of(c)),
        threads_(threads),
        rows_(lines_.rows, kMostRows),
        k_blocks_(lines_.k, std::max<int64_t>(kSlabBytes / 4 / kPanel / int64_t(lines_.tap_offset.size()), 16)),
        left_(operands.left),
        weights_(packed(c, lines_, operands.weights)),
        result_(size_t(c.out_elements())) {
    if (copies()) image_.resize(size_t((c.size + 2 * c.pad()) * (c.size + 2 * c.pad()) * c.in));
    for (size_t t = 0; t < lines_.tap_offset.size(); t++) {
      weight_offsets_.push_back(t * uint64_t(lines_.k * kPanel) * sizeof(float));
      left_offsets_.push_back(lines_.tap_offset[t] * sizeof(float));
    }
    for (int narrow = 0; narrow < 2; narrow++)
      for (int shorter = 0; shorter < 2; shorter++)
        for (int shallow = 0; shallow < 2; shallow++)
          for (int add = 0; add < 2; add++) make_kernel(narrow, shorter, shallow, add);
  }

  double run() override {
    const double start = now();
#pragma omp parallel num_threads(threads_)
    {
      if (copies()) pad();
#pragma omp for collapse(3) schedule(static)
      for (int64_t panel = 0; panel < panels(); panel++)
        for (int64_t line = 0; line < lines_.lines; line++)
          for (int64_t block = 0; block < rows_.count; block++) {
            // Over several lines, a slab of weights serves them all before the next one is read.
            if (lines_.lines == 1)
              for (int64_t d = 0; d < k_blocks_.count; d++) multiply(panel, line, block, d);
            else if (k_blocks_.count == 1)
              multiply(panel, line, block, 0);
            else if (line == 0 && block == 0)
              for (int64_t d = 0; d < k_blocks_.count; d++) whole_panel(panel, d);
          }
    }
    return now() - start;
  }

  void rest() override { omp_pause_resource_all(omp_pause_soft); }
  const float* result() const override { return result_.data(); }
  std::string implementation() const override {
    return "libxsmm " LIBXSMM_VERSION " " + std::string(libxsmm_get_target_arch());
  }

 private:
  ContractionCase case_;
  Lines lines_;
  int threads_;
  Blocks rows_, k_blocks_;
  std::vector<float> left_, weights_, result_, image_;
  std::vector<unsigned long long> weight_offsets_, left_offsets_;
  Kernel kernels_[2][2][2][2] = {};  // narrow panel, shorter rows, shorter K, add

  bool copies() const { return lines_.lines > 1; }
  int64_t panels() const { return ceil_div(lines_.columns, kPanel); }
  int64_t columns(int64_t panel) const { return std::min(kPanel, lines_.columns - panel * kPanel); }

  void make_kernel(int narrow, int shorter, int shallow, int add) {
    const int64_t width = narrow ? lines_.columns % kPanel : std::min(kPanel, lines_.columns);
    const int64_t rows = rows_.size - shorter, K = k_blocks_.size - shallow;
    if (width > 0 && rows > 0 && K > 0)
      kernels_[narrow][shorter][shallow][add] = kernel_of(width, rows, K, lines_.row_stride, lines_.columns, add != 0);
  }

  // The image amid zeros, which stay from the beginning.
  void pad() {
    const int64_t width = case_.size + 2 * case_.pad();
#pragma omp for schedule(static)
    for (int64_t y = 0; y < case_.size; y++)
      std::copy_n(&left_[size_t(y * case_.size * case_.in)], case_.size * case_.in,
                  &image_[size_t(((y + case_.pad()) * width + case_.pad()) * case_.in)]);
  }

  void whole_panel(int64_t panel, int64_t d) {
    for (int64_t line = 0; line < lines_.lines; line++)
      for (int64_t block = 0; block < rows_.count; block++) multiply(panel, line, block, d);
  }

  void multiply(int64_t panel, int64_t line, int64_t block, int64_t d) {
    const int64_t taps = int64_t(lines_.tap_offset.size()), row = rows_.begin(block);
    const float* left = (copies() ? image_.data() : left_.data()) + line * lines_.line_stride +
                        row * lines_.row_stride + k_blocks_.begin(d);
    const float* weights = weights_.data() + (panel * taps * lines_.k + k_blocks_.begin(d)) * kPanel;
    float* to = result_.data() + (line * lines_.rows + row) * lines_.columns + panel * kPanel;
    const bool narrow = lines_.columns > kPanel && columns(panel) < kPanel;
    const Kernel kernel = kernels_[narrow][block >= rows_.wide][d >= k_blocks_.wide][d > 0];
    const auto count = static_cast<unsigned long long>(taps);
    kernel(weights, left, to, &count, weight_offsets_.data(), left_offsets_.data());
  }
};

std::unique_ptr<Contender> make(const ContractionCase& c, const Operands& operands, int threads) {
  if (c.groups != 1) return nullptr;
  return std::make_unique<XsmmContender>(c, operands, threads);
}

}  // namespace

ContenderKind xsmm_contender() { return {"libxsmm", make}; }

}  // namespace cppgen::bench
