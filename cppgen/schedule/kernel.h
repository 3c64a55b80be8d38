#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ir/program/n_bits.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/blocking.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/layout/layout.h"
#include "cppgen/schedule/tuning.h"
#include "runtime/contraction/formats.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::schedule {

// A segment is one loop structure of a kernel, which runs at each point of the kernel's outer loops:
//   for loops: { for reduced: { reductions; body stores }  stores }
// Without reductions, all stores are in `stores`. The only segment of a contraction is its epilogue: its loops are the
// contraction's rows, or one loop in their place.
struct Segment {
  std::vector<ir::Loop> loops, reduced;
  std::vector<ir::Reduction> reductions;
  std::vector<ir::Store> body;    // at every point of loops x reduced
  std::vector<ir::Store> stores;  // after the reduced loops; values may use accumulators
};

// The number of points of loops x reduced.
IndexExpr points(const Segment&);
// The number of pieces of at most `most` that make up `length`.
inline int64_t pieces(int64_t length, int64_t most) { return (length + most - 1) / most; }

// The location of a buffer that a kernel keeps inside, because no other step reads it.
enum class Place : uint8_t {
  memory,  // an argument
  row,     // scratch of one outer point: `elements` of it
  value,   // one vector variable per outer point
};

struct Local {
  ir::BufferId buffer;
  Place place;
  IndexExpr elements = 1;  // of a row
};

// States how rows are divided among tiles. Without a height, neighbouring rows share a tile. With one, the last two
// loops of the rows are the lines and columns of an image, and a tile holds columns of one line; the first `left` and
// the last `right` columns of all lines are in tiles of their own.
struct RowTiling {
  bool skips_padding = false;  // a tap that is outside the image for all rows of a tile is skipped
  int64_t height = 0, width = 0, left = 0, right = 0;
  bool operator==(const RowTiling&) const = default;
};

inline constexpr std::string_view kTilesForm = "tiles";  // of kernels whose tiles multiply the rows as they are

// A contraction that runs on tiles: out[rows, columns] = sum over taps and k of left x right.
struct TileContraction {
  ir::Expr left = nullptr, right = nullptr;  // the loads
  // If the rows are bytes whose blocks of K have scales, this is the first scale of a row, whose address
  // follows those of the rows (runtime/contraction/tiles.h, n_bits_of_i8).
  ir::Expr left_scales = nullptr;
  // If set, the left operand is this value, which the kernel computes for the rows of a tile. `left`, one of its loads,
  // moves with all rows.
  ir::Expr left_value = nullptr;
  std::vector<ir::Loop> batch, rows, taps;
  ir::Loop columns, k;
  std::string engine;                          // its name in the choice list
  std::string form = std::string(kTilesForm);  // of its kernel (cppgen/forms/forms.def), which its engine chooses
  rt::TileFormat format{};
  rt::TileShape shape;  // of the largest tile
  // The right operand is a matrix whose columns are contiguous, which tiles read in place (f32_matrix in
  // runtime/contraction/tiles.h): `packed` is its buffer.
  bool right_in_place = false;
  ir::BufferId packed = -1;    // panels [batch of right][slice][tap][group of K][column of the slice][in the group]
  IndexExpr packed_batch = 0;  // which batch of panels, over the batch loops
  IndexExpr panel_elements;    // of the panel of one tile, which consists of slices (runtime/contraction/formats.h)
  RowTiling tiling;
  // Winograd's algorithm (runtime/contraction/winograd.h): the rows' last loops, as many as there are loops of taps,
  // are the lines and columns of an image, or the positions in a sequence, in patches. The panels hold the transforms
  // of the taps, one for each product of a patch; the panels of the taps themselves follow. Side 0: they hold the taps
  // alone.
  rt::winograd::Form winograd;
  ir::BufferId transformed = -1;  // the inputs of all patches, which an earlier step transforms; -1: the kernel does
  int64_t summed_channels = 0;    // of one block of the sums of Winograd's algorithm; 0 for others
  Blocking blocking;
  int64_t unpacked_k = 0;     // weights of few bits: see runtime/contraction/n_bit_layout.h; 0 for others
  bool in_registers = false;  // tiles are part of the kernel, whose epilogue takes their sums from registers
  std::string site{};         // see FusedKernel
  bool convolution = false;   // MAX_AUTOTUNE_CONV_BACKENDS decides about its engine
  std::shared_ptr<const Tuning> tuning{};
};

inline constexpr std::string_view kAttentionForm = "attention";  // of kernels whose lanes are the queries

// An attention computes
//   out[batch, row, column] = sum over keys of softmax over keys of score(sum over head_size of query x key) x value.
// The rows are the lanes of a unit of work; query, key and value are loads over these loops.
struct Attention {
  std::vector<ir::Loop> batch;
  ir::Loop rows, keys, head_size, columns;
  ir::Expr query = nullptr, key = nullptr, value = nullptr;
  ir::Expr score = nullptr;                        // over batch, rows and keys; accumulator 0: the product
  bool divides = false;                            // by the sum of the powers; otherwise multiplies by its reciprocal
  bool zeros = false;                              // results are 0, not NaN, if all scores are -infinity
  std::string form = std::string(kAttentionForm);  // of its kernel (cppgen/forms/forms.def), which its engine chooses
};

// Tells whether all keys are one block, so that the softmax of a row is computed once; otherwise it is corrected after
// each block of keys.
bool keys_are_one_block(const Attention&, const Tuning&);

// A kernel: segments over common outer loops.
struct FusedKernel {
  std::string name;  // symbol: stable, from operators and position
  std::vector<ir::Loop> outer;
  // true: the last outer loop is vectorised (its points are lanes); false: each segment's innermost loop is.
  bool vector_outer = true;
  // With vector_outer and no inner loops, this is the outer loop (index) along which strided loads are contiguous, so
  // that blocks of both are transposed; -1: none.
  int transpose_loop = -1;
  std::vector<Segment> segments;
  std::vector<Local> locals;
  // These are computed before the segments; without either, it is a kernel of plain loops.
  std::optional<TileContraction> contraction;
  std::optional<Attention> attention;
  std::vector<ir::BufferId> inputs, outputs;  // arguments: inputs, then outputs
  std::vector<ir::BufferId> reads_back;       // outputs that it also reads: other steps may write parts of them
  std::vector<ir::BufferId> non_temporal;     // outputs that are written with non-temporal stores
  std::vector<std::string> origins;
  std::string site;                      // site_of the statements that it was made from (site.h)
  std::shared_ptr<const Tuning> tuning;  // chosen for this kernel; null: the target's
};

inline bool is_loops(const FusedKernel& kernel) { return !kernel.contraction && !kernel.attention; }

// The name of the engine of a kernel, for plans and reports: the engine of a contraction, "cppgen" for an attention,
// and "loops" for all others.
std::string engine_of(const FusedKernel&);

// A constant that is rearranged for an engine when the model is compiled.
struct PackedConstant {
  ir::BufferId source, packed;
  rt::TileFormat format;
  int width;             // columns of a panel
  IndexExpr columns, k;  // extents
  // Offsets in the source, in elements: the strides of columns and of K, and the offset of each batch and tap.
  int64_t column_stride, k_stride;
  std::vector<int64_t> batch_offsets, tap_offsets;
  rt::winograd::Form winograd;            // see TileContraction
  std::optional<ir::NBitWeights> n_bits;  // if set, the strides and taps are unused
};

// A step that runs a function of the library and not a kernel.
struct LibraryStep {
  std::string function, engine;
  std::vector<ir::BufferId> inputs, outputs;
  std::vector<IndexExpr> params;
  std::vector<double> numbers;
  std::vector<std::string> origins;
  IndexExpr flops = 0, products = 0;  // of a contraction in float32: see kernel::KernelWork
  std::string site{};                 // of a contraction
  bool convolution = false;           // see TileContraction
};

// each_value of ir/program.h, and what is made from it. Values of a segment are those of its reductions, then of its
// body and stores; those of a kernel are its segments', and the operands of its contraction or attention. The right
// operand of a contraction is not among them: the kernel reads its panels.
using ir::loads_of;
using ir::reads;
using ir::roots_of;
using ir::values_of;

template <ir::Is<Segment> T, class F>
void each_value(T& segment, const F& f) {
  ir::each_value(segment.reductions, f);
  ir::each_value(segment.body, f);
  ir::each_value(segment.stores, f);
}

template <ir::Is<TileContraction> T, class F>
void each_value(T& contraction, const F& f) {
  ir::visit_field(contraction.left, f);
  if (contraction.left_scales) ir::visit_field(contraction.left_scales, f);
  if (contraction.left_value) ir::visit_field(contraction.left_value, f);
  ir::visit_field(contraction.packed_batch, f);
}

template <ir::Is<Attention> T, class F>
void each_value(T& attention, const F& f) {
  ir::visit_field(attention.query, f);
  ir::visit_field(attention.key, f);
  ir::visit_field(attention.value, f);
  ir::visit_field(attention.score, f);
}

template <ir::Is<FusedKernel> T, class F>
void each_value(T& kernel, const F& f) {
  for (auto& segment : kernel.segments) each_value(segment, f);
  if (kernel.contraction) each_value(*kernel.contraction, f);
  if (kernel.attention) each_value(*kernel.attention, f);
}

// Calls f for each store of a kernel, in order.
template <class F>
void each_store(const FusedKernel& kernel, const F& f) {
  for (const Segment& segment : kernel.segments)
    for (const auto* stores : {&segment.body, &segment.stores}) std::for_each(stores->begin(), stores->end(), f);
}

struct RepeatedSteps;
using ScheduledStep = std::variant<FusedKernel, LibraryStep, RepeatedSteps>;

// A step that repeats others, made from an ir::Repetition.
struct RepeatedSteps {
  IndexExpr step, steps;
  std::vector<ir::Carried> carried;
  std::vector<ScheduledStep> body;
  std::vector<ir::BufferId> inputs, outputs;  // of the body, including buffers that only the body uses
};

// Calls f with each FusedKernel and LibraryStep in order, including those of repetitions.
template <class Steps, class F>
void each_step(Steps&& steps, const F& f) {
  for (auto& step : steps) {
    if (auto* kernel = std::get_if<FusedKernel>(&step)) f(*kernel);
    if (auto* call = std::get_if<LibraryStep>(&step)) f(*call);
    if (auto* repeated = std::get_if<RepeatedSteps>(&step)) each_step(repeated->body, f);
  }
}
// Calls f with each kernel only.
template <class Steps, class F>
void each_kernel(Steps&& steps, const F& f) {
  each_step(steps, [&](auto& step) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(step)>, FusedKernel>) f(step);
  });
}

struct InPlace {
  ir::BufferId output, input;  // the output lies in the input's memory
};

// A contraction of the program and the engine that was chosen for it.
struct ChosenEngine {
  std::vector<std::string> origins;
  IndexExpr batch = 1, rows = 1, columns = 1, k = 1;
  std::string left, right, result;  // types; "" for operands that are not loads
  std::string engine;               // of its attention, if that has one
};

struct Schedule {
  ir::Program program;  // after fusion; its statements are the steps' source
  Layouts layouts;
  std::vector<ScheduledStep> steps;
  std::vector<PackedConstant> packed;
  std::vector<InPlace> in_place;
  std::vector<ChosenEngine> engines;  // in the program's order
  DecisionLog log;
  std::string site;                      // of the whole program (site.h); empty without choices
  std::shared_ptr<const Tuning> tuning;  // chosen for the whole program; null: the target's
};

}  // namespace cppgen::schedule
