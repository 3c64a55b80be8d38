#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"
#include "runtime/base/value_kind.h"
#include "runtime/plan/step_costs.h"

namespace cppgen::rt {

// A compiled model as passive data. Written by the compiler, read by a Session; stored as plan.json in a package. A
// plan that was read is not trusted: `validate` checks every index before anything runs.

// An integer expression over the plan's symbols as flat postfix code: each instruction is its opcode, followed by one
// operand for `constant` (the value) and `symbol` (its index in Plan::symbols).
enum class DimOp : int64_t { constant, symbol, add, mul, floordiv, mod, min, max };
struct DimExpr {
  std::vector<int64_t> code;

  static DimExpr of(int64_t value) { return {{int64_t(DimOp::constant), value}}; }
  bool operator==(const DimExpr&) const = default;
};
// A division or remainder by 0 gives 0, as in kernels. UserError on overflow, a negative divisor, malformed code, or a
// symbol out of range.
int64_t evaluate(const DimExpr&, std::span<const int64_t> symbols);
bool uses_symbol(const DimExpr&, int64_t symbol);

struct TensorInfo {
  std::string name;  // of the model's input or output
  DType type = DType::f32;
  std::vector<DimExpr> dims;
  // Integer inputs that select along an axis have this exclusive bound of their values (an embedding table's rows),
  // others 0. It is used to make valid random inputs.
  int64_t index_extent = 0;
  ValueKind kind = ValueKind::tensor;  // other kinds occur only in modules; their `type` is that of the elements
  // Inputs that are the keys of a map have distinct keys that the model knows, as text. They are used to make valid
  // random inputs.
  std::vector<std::string> map_keys{};
  // False, only for outputs of modules: a run tells how many dimensions there are, and `dims` is empty.
  bool ranked = true;
};

inline constexpr int64_t kConstantAlignment = 64;  // bytes, in the weights file

enum class PlanBufferKind : uint8_t { input, output, constant, temporary };

struct PlanBuffer {
  PlanBufferKind kind = PlanBufferKind::temporary;
  int32_t slot = -1;       // input, output: position in Plan::inputs or outputs
  int64_t offset = 0;      // constant: byte offset in the weights file, a multiple of kConstantAlignment
  DimExpr bytes;           // size in memory, including padding of the layout
  int32_t first_step = 0;  // temporary: steps that write it first and read it last
  int32_t last_step = 0;
  int32_t shares = -1;     // temporary: uses this buffer's memory (in-place), which is at least as large
  DType type = DType::u8;  // of its elements, for messages and files; unspecified for panels of packed constants
  std::string name{};      // of the model's value, likewise
};

enum class StepKind : uint8_t { kernel, library };

struct Step {
  StepKind kind = StepKind::kernel;
  std::string name;                 // kernel: its own; library: the function in the runtime's table
  std::string shared;               // kernel: the equal one whose function it runs; empty: its own, which has its name
  int32_t object = -1;              // kernel: index in Plan::objects
  std::vector<int32_t> buffers;     // argument order; library: inputs, then outputs
  int32_t output_count = 0;         // number of the last `buffers`, which are written
  std::vector<int32_t> reads_back;  // of these, the ones that the step also reads: others may write parts of them
  std::vector<DimExpr> params;
  std::vector<double> numbers;       // library: float attributes
  DimExpr range;                     // kernel: parallel range [0, range)
  DimExpr unit_work;                 // elements of work in one unit of the range
  DimExpr scratch_bytes;             // private to each thread
  int32_t product_of = -1;           // kernel: the buffer that it multiplies by constants
  std::string engine;                // "loops", "cppgen", "onednn" ...
  std::vector<std::string> origins;  // nodes of the model
  // These say how much work the step is, which decides how it is divided and is shown in profiles. flops: multiply-adds
  // of sums of products, each counted as two operations; bytes: read and written in memory, each element counted once.
  DimExpr flops, bytes;
  // These are for predictions of its time alone, if Plan::has_costs.
  StepCosts<DimExpr> costs;
  double rate = 1;  // at which the CPU executes `flops` at most; 1 for multiply-adds of float32 vectors

  const std::string& symbol() const { return shared.empty() ? name : shared; }
};

struct Symbol {
  std::string name;
  int32_t input = -1, axis = -1;  // the first input dimension that binds it
};

// The expression for people: "batch*2 + 1", "(length - 3)//2"; `?` for what is malformed.
std::string dim_text(const DimExpr&, std::span<const Symbol> symbols);

// least <= most must hold for the sizes of every run; the compiler relied on it.
struct Bound {
  DimExpr least, most;
  std::string text;  // the same with the names of dimensions
};

// A buffer that passes a value from each step of a repetition to the next: at step 0, `before` is read from `initial`,
// later from what the previous step stored in `after`.
struct CarriedBuffers {
  int32_t initial = -1, before = -1, after = -1;
  bool operator==(const CarriedBuffers&) const = default;
};

// Steps that run several times in sequence.
struct Repetition {
  DimExpr steps;                           // how many times
  int32_t first_step = 0, last_step = -1;  // in Plan::steps
  std::vector<CarriedBuffers> carried;
};

// The message of a check begins so if its failure is a bug of cppgen: it is an assertion in a kernel.
inline constexpr std::string_view kAssertionFailed = "assertion failed: ";

// A constant that a session may replace.
struct Parameter {
  TensorInfo info;  // its dimensions are constant
  int32_t buffer = -1;
};

// An input and an output that are one tensor, which the caller of a session keeps from run to run as part of a state
// object (session/session_state.h): a run finds in `past` what earlier runs left and stores what `present` has beyond
// that. Both buffers are the same memory: row-major with room for `capacity` positions along `axis`, of which the
// tensors' dimensions say how many are in use. Positions in use never move.
struct KeptState {
  int32_t past = -1, present = -1;  // in Plan::inputs and Plan::outputs
  int32_t axis = 0;                 // whose dimension in `past` is a symbol that is bound by it
  int64_t capacity = 0;             // at least 1
};

struct Plan {
  std::string model;  // name of the graph
  std::string isa;
  std::vector<Symbol> symbols;
  std::vector<Bound> bounds;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<PlanBuffer> buffers;
  std::vector<Step> steps;
  std::vector<Repetition> repetitions;  // in order; the iteration number is the symbol symbols.size() + position
  std::vector<std::string> objects;     // file names in the package
  int64_t streams = 1;                  // steps that a run may execute at the same time, unless MULTISTREAM_MODE is on
  int64_t weights_bytes = 0;            // size of weights.bin
  std::vector<Parameter> parameters;
  std::vector<KeptState> states;
  std::vector<std::string> checks;  // messages of checks: the error value i + 1 means checks[i]
  bool has_costs = false;           // the steps state `costs` and `rate`, which are not in plan.json (costs_json.h)
};

// The state of the input or of the output at this position; null if it belongs to none.
const KeptState* state_of_input(const Plan&, int64_t input);
const KeptState* state_of_output(const Plan&, int64_t output);

// The position of the repetition that the step belongs to, or -1 if it runs once.
int32_t repetition_of(const Plan&, size_t step);

// UserError naming the first field that is out of range or inconsistent.
void validate(const Plan&);

std::string to_json(const Plan&);
Plan plan_from_json(std::string_view text);  // UserError if malformed; validated

}  // namespace cppgen::rt
