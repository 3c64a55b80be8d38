#include "runtime/plan/calls/xsmm.h"

#include <libxsmm.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/long_sums.h"
#include "runtime/plugins/plugin.h"
#include "runtime/xsmm/xsmm_problem.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kMostRows = 64;  // of one call
constexpr int64_t kLeastK = 16;    // of a block

using Kernel = libxsmm_smmfunction_reducebatch_offs;

// libxsmm sets OMP_PROC_BIND when it starts, also in the environment of an application: libgomp would then bind all
// threads of its children to one core.
void start_libxsmm() {
  static const bool started = [] {
    const bool given = std::getenv("OMP_PROC_BIND") != nullptr;
    libxsmm_init();
    if (!given) unsetenv("OMP_PROC_BIND");
    return true;
  }();
  (void)started;
}

// [0, extent) in blocks as even as they can be: the first `wide` ones have `size`, the others one less.
struct Blocks {
  int64_t count, size, wide;

  Blocks(int64_t extent, int64_t most)
      : count(std::max<int64_t>(1, (extent + most - 1) / most)),
        size((extent + count - 1) / count),
        wide(extent - (size - 1) * count) {}
  int64_t begin(int64_t i) const { return i * size - std::max<int64_t>(0, i - wide); }
  bool is_short(int64_t i) const { return i >= wide; }
  int64_t extent(int64_t i) const { return size - is_short(i); }
};

// libxsmm is column-major: its first operand is our right one, its columns are our rows.
Kernel kernel_of(const XsmmProblem& p, int64_t columns, int64_t rows, int64_t K, int64_t out_row) {
  const auto lda = libxsmm_blasint(kXsmmPanelColumns), ldb = libxsmm_blasint(p.left_row),
             ldc = libxsmm_blasint(out_row);
  start_libxsmm();
  const float alpha = 1, beta = 0;
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_PREFETCH_NONE;
  Kernel kernel =
      libxsmm_smmdispatch_reducebatch_offs(libxsmm_blasint(columns), libxsmm_blasint(rows), libxsmm_blasint(K), &lda,
                                           &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
  if (!kernel) user_error("libxsmm has no kernel for a contraction of {} x {} x {}", rows, columns, K);
  return kernel;
}

// A unit of work is one panel of columns by one block of rows at one outer point; units of a panel follow each other.
class XsmmTask : public LibraryTask {
 public:
  XsmmTask(XsmmProblem problem, int64_t min_chunk_size)
      : p_(std::move(problem)),
        rows_(p_.rows, kMostRows),
        k_blocks_(p_.k, std::max(kBlockTerms / std::max<int64_t>(p_.tap_count(), 1), kLeastK)),
        per_panel_(checked_mul(p_.outer_points(), p_.rows == 0 ? 0 : rows_.count, kXsmmContraction.data())),
        units_(checked_mul(per_panel_, p_.panels(), kXsmmContraction.data())) {
    const int64_t terms = checked_mul(p_.tap_count(), p_.k, kXsmmContraction.data());
    const int64_t elements = p_.outer_points() * p_.rows * p_.columns;
    const int64_t work = checked_mul(elements, std::max<int64_t>(terms, 1), kXsmmContraction.data());
    chunks_ = chunk_count(units_, work, checked_mul(2, work, kXsmmContraction.data()), 0, min_chunk_size);
    for (int64_t t = 0; t < p_.tap_count(); t++) {
      left_offsets_.push_back(uint64_t(p_.tap_offsets[size_t(t)]) * sizeof(float));
      panel_offsets_.push_back(uint64_t(t * p_.k * kXsmmPanelColumns) * sizeof(float));
    }
    if (units_ > 0 && terms > 0) make_kernels();
  }

  int64_t chunks() const override { return chunks_; }

  void run(std::span<void* const> buffers, int64_t chunk, char*) const override {
    const auto* left = static_cast<const float*>(buffers[0]);
    const auto* panels = static_cast<const float*>(buffers[1]);
    auto* out = static_cast<float*>(buffers[2]);
    const ChunkRange range = chunk_range(units_, chunks_, chunk);
    for (int64_t begin = range.begin; begin < range.end;) {
      const int64_t end = end_of_slab(begin, range.end);
      for (int64_t d = 0; d < k_blocks_.count; d++)
        for (int64_t unit = begin; unit < end; unit++) multiply(left, panels, out, unit, d);
      begin = end;
    }
  }

 private:
  struct Place {
    int64_t left, batch, out;
  };

  XsmmProblem p_;
  Blocks rows_, k_blocks_;
  int64_t per_panel_, units_, chunks_ = 0;
  std::vector<unsigned long long> left_offsets_, panel_offsets_;
  Kernel kernels_[2][2][2][2] = {};  // narrow panel, short block of rows, short block of K, not the first block

  void make_kernels() {
    const int64_t last = p_.columns % kXsmmPanelColumns;
    for (int narrow = 0; narrow < 2; narrow++)
      for (int few = 0; few < 2; few++)
        for (int shallow = 0; shallow < 2; shallow++)
          for (int add = 0; add < (k_blocks_.count > 1 ? 2 : 1); add++) {
            const int64_t columns = narrow ? last : kXsmmPanelColumns;
            const int64_t rows = rows_.size - few, K = k_blocks_.size - shallow;
            const bool used = (narrow ? last > 0 : p_.columns >= kXsmmPanelColumns) &&
                              (!few || rows_.wide < rows_.count) && (!shallow || k_blocks_.wide < k_blocks_.count);
            if (used && rows > 0 && K > 0)
              kernels_[narrow][few][shallow][add] =
                  kernel_of(p_, columns, rows, K, add ? kXsmmPanelColumns : p_.out_row);
          }
  }

  Place place_of(int64_t point) const {
    Place place{p_.left_start, 0, 0};
    for (size_t i = p_.outer.size(); i-- > 0;) {
      const auto& o = p_.outer[i];
      const int64_t at = point % o.extent;
      point /= o.extent;
      place.left += at * o.left, place.batch += at * o.batch, place.out += at * o.out;
    }
    return place;
  }

  int64_t batch_of(int64_t unit) const { return place_of(unit % per_panel_ / rows_.count).batch; }

  // Units from `begin` on that read the same panel of the same batch: they share a slab of it.
  int64_t end_of_slab(int64_t begin, int64_t end) const {
    end = std::min(end, (begin / per_panel_ + 1) * per_panel_);
    if (std::all_of(p_.outer.begin(), p_.outer.end(), [](const auto& o) { return o.batch == 0; })) return end;
    const int64_t batch = batch_of(begin);
    int64_t unit = begin + 1;
    while (unit < end && batch_of(unit) == batch) unit++;
    return unit;
  }

  void multiply(const float* left, const float* panels, float* out, int64_t unit, int64_t d) const {
    const int64_t panel = unit / per_panel_, block = unit % per_panel_ % rows_.count, row = rows_.begin(block);
    const Place at = place_of(unit % per_panel_ / rows_.count);
    const int64_t columns = std::min(kXsmmPanelColumns, p_.columns - panel * kXsmmPanelColumns);
    float* to = out + at.out + row * p_.out_row + panel * kXsmmPanelColumns;
    if (p_.k == 0 || p_.tap_count() == 0) {
      for (int64_t r = 0; r < rows_.extent(block); r++) std::fill_n(to + r * p_.out_row, columns, 0.0f);
      return;
    }
    const float* from = left + at.left + row * p_.left_row + k_blocks_.begin(d);
    const float* with = panels + at.batch * p_.batch_elements() +
                        (panel * p_.tap_count() * p_.k + k_blocks_.begin(d)) * kXsmmPanelColumns;
    const Kernel kernel = kernels_[columns < kXsmmPanelColumns][rows_.is_short(block)][k_blocks_.is_short(d)][d > 0];
    const auto count = static_cast<unsigned long long>(p_.tap_count());
    if (d == 0) return kernel(with, from, to, &count, panel_offsets_.data(), left_offsets_.data());
    alignas(64) float sums[kMostRows * kXsmmPanelColumns];  // of this block of K (long_sums.h)
    kernel(with, from, sums, &count, panel_offsets_.data(), left_offsets_.data());
    for (int64_t r = 0; r < rows_.extent(block); r++)
      for (int64_t j = 0; j < columns; j++) to[r * p_.out_row + j] += sums[r * kXsmmPanelColumns + j];
  }
};

class XsmmContraction : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    return std::make_shared<XsmmTask>(read_xsmm_problem(call), call.min_chunk_size);
  }
};

std::unique_ptr<LibraryOperator> create_xsmm_contraction(const LibraryCall& call) {
  if (call.input_count != 2 || call.output_count != 1)
    user_error("plan: {}: number of buffers", kXsmmContraction.data());
  return std::make_unique<XsmmContraction>();
}

constexpr LibraryFunction kFunctions[] = {{kXsmmContraction, create_xsmm_contraction}};

int xsmm_lanes() {
  start_libxsmm();
  const int isa = libxsmm_get_target_archid();
  if (isa >= LIBXSMM_X86_AVX512) return 16;
  return isa >= LIBXSMM_X86_AVX2 ? 8 : 0;
}

}  // namespace
}  // namespace cppgen::rt

extern "C" __attribute__((visibility("default"))) const cppgen::rt::LibraryPlugin cppgen_plugin{
    cppgen::rt::kPluginBuild.data(), cppgen::rt::kFunctions, cppgen::rt::xsmm_lanes};
