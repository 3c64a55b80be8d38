#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cppgen/ir/values/expr.h"
#include "cppgen/kernel/keys_seen.h"
#include "runtime/contraction/formats.h"

namespace cppgen::kernel {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;
struct KernelView;

// How a kernel is split, vectorised and unrolled. Code generation follows the plan and makes no decisions. Plans depend
// only on shapes, layouts, the target and the tuning, so that results never depend on the number of threads.

// A memory location that is prefetched before it is read or written.
struct Prefetch {
  BufferId buffer;
  IndexExpr offset;
  bool written = false;
};

// A sequential float32 sum of many terms loses digits: each addition rounds in proportion to the sum so far, and a sum
// of ones stops growing at 2^24. If an accumulator may get more than 2 * most_terms terms, a reduced loop is run
// in parts; after a part, accumulators of at least most_terms are added to totals in float64. Sums of fewer terms are
// not affected.
//
// With a = 3 * most_terms and lanes * accumulators = n, the error of a sum is at most (a + log2(n) + 2) * 2^-24 times
// the sum of the absolute values of its terms, however many there are.
struct SumParts {
  size_t loop;         // the reduced loop that is run in parts
  int64_t steps;       // of one part
  int64_t most_terms;  // of an accumulator, after which it is added to the total; a part has at most twice as many
  // The terms that an accumulator gets in `n` steps: n * terms, or n / spread + more if steps are spread over lanes.
  int64_t terms = 1, spread = 1, more = 0;
};

struct SegmentPlan {
  std::optional<SumParts> sum_parts;
  std::vector<bool> has_total;  // by reduction: whether it is computed in parts
  std::vector<Prefetch> prefetches;
};

// Common to the kernels of plain loops.
struct LoopsPlan {
  std::vector<int64_t> scratch_offsets;  // offsets of the kernel's locals, in bytes; only rows are in scratch memory
  std::vector<SegmentPlan> segments;
};

// Lanes are points of each segment's innermost loop.
struct RowsPlan : LoopsPlan {
  int64_t accumulators = 1;  // of each reduction along a row
};

// Lanes are points of the last outer loop.
struct ColumnsPlan : LoopsPlan {
  int64_t block = 1;    // points of the last loop in one unit
  int64_t vectors = 1;  // number of vectors side by side, each with its own accumulators
  int64_t chains = 1;   // vectors of a pointwise kernel whose long chains of operations overlap
  int64_t unroll = 1;   // number of vectors side by side for which code is repeated
  // Full vectors after the last group of chains are masked like the tail, so that the long body is compiled twice, not
  // three times.
  bool masks_full_vectors = false;
  int64_t interleaved = 1;  // points of the loop before the last one, whose results lie side by side
};

// Columns in which neighbouring points of the loop before the last one share operands: depthwise convolutions and
// poolings over channels-last images. `vectors` is the number of these points.
struct WindowsPlan : ColumnsPlan {
  struct Inside {
    IndexExpr least, lo, greatest, hi;  // of a window at one point of the loop
  };
  // The condition that no window crosses the border: lo <= least at the first point, greatest < hi at the last. Null if
  // unknown.
  std::optional<std::vector<Inside>> inside;
};

// Kernels that read along one loop and write along another, in square tiles that are transposed in the cache.
struct TransposedPlan : LoopsPlan {
  struct Load {
    Expr load;
    IndexExpr offset, across;      // `across`: the distance between its lanes
    std::optional<IndexExpr> end;  // extent of the elements that exist along the last loop
    int64_t few = 0;               // extent of the tile loop if `across` is the same small constant, otherwise 0
  };
  struct NextTile {
    BufferId buffer;
    IndexExpr offset, stride;  // the start of the first row, and the distance between rows
    bool transposed;
  };
  int64_t side = 1;   // elements of a tile's side
  int64_t width = 1;  // columns of a unit
  std::vector<Load> loads;
  std::vector<NextTile> next_tiles;
  bool moves =
      false;  // rows of the only tile are stored as they are, of types whose vectors are shorter than registers
};

// Contractions on tiles: rows x columns blocks over packed panels of the right operand.
struct TilesPlan {
  // The depth is multiplied in blocks whose sums are kept in scratch memory: on matrix tiles, or because weights of few
  // bits are unpacked there, once for all tiles of a unit.
  struct Blocks {
    rt::DepthBlocks depth;
    int64_t tiles;             // of rows in one unit
    int64_t prepared_bytes;    // of one tile of rows
    int64_t weight_bytes = 0;  // unpacked weights of one panel
    int64_t least_tiles = 0;   // of all rows, for which weights are unpacked; with fewer, tiles read them as they are
  };
  IndexExpr tiles, panels;  // of all rows, of all columns
  int64_t panels_per_unit = 1;
  std::optional<Blocks> blocks;
  bool batch_inside = false;  // neighbouring units are different batches of the same rows
  bool rows_outside = false;  // neighbouring units are different panels of the same rows
  bool even_rows = false;     // rows of every tile have a constant distance, the same for each tap
  // With `batch_inside`: the distance between the rows of neighbouring batch points, if it is the same for all rows, so
  // that pointers to them move from one batch point to the next; otherwise 0.
  int64_t batch_distance = 0;
  bool transposed = false;  // rows are contiguous in the result: it is channels-first
  int64_t transposed_side = 1;
  std::vector<int64_t> row_counts;  // of tiles in registers
  bool row_counts_are_all = false;
  std::optional<int64_t> width;  // columns of every tile, if all have the same number
};

// Convolutions by Winograd's algorithm. A unit is a block of patches and a group of panels of the output's channels: it
// transforms the patches of inputs, multiplies them by the panels on tiles, and transforms the sums. If channels are in
// groups that are convolved by themselves, a unit has all panels of some of these.
struct WinogradPlan {
  int64_t side_down = 1, side_across = 1;  // results of a patch along each direction of an image
  IndexExpr down = 1, across = 1;          // patches along each direction
  IndexExpr patches;                       // of all images
  IndexExpr blocks;                        // of patches, as even as they can be
  int64_t most_patches = 1;                // of a block
  IndexExpr panels;
  int64_t panels_per_unit = 1;
  int64_t panels_at_once = 1;  // of a unit: each product of the patches is computed with all of these before the next
  bool rows_outside = false;   // neighbouring units are different panels of the same patches
  int64_t batch_per_unit = 1;  // groups of channels in a unit
  IndexExpr groups = 1;        // units of a block of patches
  // Scratch memory, in elements: the distance between the transformed inputs of two patches, and between those, or the
  // sums, of two products. The sums of one panel after the other follow the inputs.
  int64_t input_row = 0, input_plane = 0, sums_plane = 0;
};

// An operand of an attention, as tiles read it: element (row, step) is at row * ld + step, or at row + step * ld.
struct OperandMatrix {
  IndexExpr base, row_stride, step_stride;
  bool rows_contiguous;
  IndexExpr ld() const { return rows_contiguous ? step_stride : row_stride; }
};

struct AttentionPlan {
  // A load of the scores whose lanes are not contiguous but whose keys are: it is transposed one block at a time.
  struct TransposedLoad {
    Expr load;
    IndexExpr start, ld;  // the position of the first key of the first row, and the distance between rows
    std::string scratch;
  };
  struct Scratch {
    std::string name;
    std::string shape;  // for people: "[panel][depth][width]"
    IndexExpr start;    // in vectors of a panel's width
    DType type;
  };
  int64_t key_block = 1;  // keys of a block
  // After so many keys, the sums so far are set aside (rt::kGroupBlocks); 0 if there are never more.
  int64_t group_keys = 0;
  int64_t few_rows = 0;  // up to this many rows, a unit computes rows one at a time, with keys or features as lanes
  bool may_be_few = false, may_be_many = false;
  IndexExpr panels_at_once = 1;  // panels of queries of one unit
  int64_t most_panels_at_once = 1;
  OperandMatrix query{}, keys{}, values{};
  std::optional<KeysSeen> hidden;
  std::vector<TransposedLoad> transposed;
  std::vector<Scratch> scratch;
};

// Estimates of what one run of a kernel executes and moves, for predictions of its time. Instructions are those of
// vectors, masked tails included.
struct KernelWork {
  // Multiply-adds of sums of products, each counted as two operations: without the padding of tiles, and in an
  // attention without keys that a condition on indices or a constant mask hides.
  IndexExpr flops = 0;
  double rate = 1;                  // of these, the highest that the CPU reaches: 1 for the float32 vectors of the ISA
  IndexExpr products = 0;           // multiply-adds on tiles, with the padding of tiles
  IndexExpr multi_instruction = 0;  // operations of several instructions, as multiply-adds that take as long
  IndexExpr functions = 0;          // of these, what divisions and functions take at least
  IndexExpr instructions = 0;       // all others
  IndexExpr bytes = 0;              // read and written in memory, each element counted once
};

struct KernelPlan {
  IndexExpr units = 1;      // that threads share
  IndexExpr unit_work = 1;  // of one unit, in elements of a pointwise kernel
  IndexExpr scratch_bytes = 0;
  std::variant<RowsPlan, ColumnsPlan, WindowsPlan, TransposedPlan, TilesPlan, WinogradPlan, AttentionPlan> form;
  KernelWork work;
};

KernelPlan plan_kernel(const KernelView&);

// Whether threads divide the columns of a contraction, and not its rows: neighbouring units are rows of the same
// panels.
bool divides_columns(const KernelPlan&);

// The groups of panels into which threads divide the columns of a contraction, each of which is a unit for the same
// rows; 1 for all other kernels.
IndexExpr column_groups(const KernelPlan&);

// One readable line: "columns: 4 vectors side by side; 12 units of 2048 points, ...".
std::string to_string(const KernelPlan&);

}  // namespace cppgen::kernel
