#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// What RNN, GRU and LSTM share. Inputs X, W, R, B, sequence_lens, initial_h (LSTM: initial_c, P); sequences have a
// constant length and are unrolled.
inline constexpr int64_t kMaxRecurrentSteps = 256;

struct RecurrentShape {
  int gates = 0;  // weights have gates * hidden rows
  int64_t steps = 0;
  IndexExpr batch, input, hidden;
  int directions = 1;
  bool batch_first = false;     // layout 1: [batch, steps, ..]
  bool first_reversed = false;  // direction "reverse"

  bool reversed(int direction) const { return first_reversed || direction == 1; }
};
RecurrentShape recurrent_shape(InferContext&, int gates);  // checks all inputs
void infer_recurrent(InferContext&, int gates, int states);

// An activation of a gate with its parameters, and the clip of its argument.
struct GateFunction {
  std::string name;
  double alpha = 0, beta = 0, clip = 0;  // clip 0: none
  Scalar operator()(Scalar) const;
};
// `defaults` of one direction; UserError for one that is not known.
std::vector<GateFunction> gate_functions(InferContext&, const std::vector<std::string>& defaults, int directions);

// Lowering of one direction: the projections of the input for all steps, and one step's recurrent products.
class RecurrentPass {
 public:
  RecurrentPass(LowerContext&, const RecurrentShape&, int direction);

  // Element (b, h) of gate `gate` at step s: X W^T + Wb.
  Scalar projected(int64_t step, int gate, IndexExpr b, IndexExpr h) const;
  Scalar recurrent_bias(int gate, IndexExpr h) const;
  Scalar weight_bias(int gate, IndexExpr h) const;
  // [batch, count * hidden]: state x R^T of gates first .. first + count; nothing for a zero state.
  std::optional<ir::BufferId> recur(std::optional<ir::BufferId> state, int first, int count);
  // The initial state of input `i`, [batch, hidden]; nothing if the model gives none.
  std::optional<ir::BufferId> initial(int i);
  // Stores `next` where the sequence still runs, else the state before.
  ir::BufferId store_state(int64_t step, std::optional<ir::BufferId> before, const std::string& name,
                           const std::function<Scalar(IndexExpr b, IndexExpr h)>& next);
  Scalar value(std::optional<ir::BufferId> state, IndexExpr b, IndexExpr h) const;  // 0 without a state
  // Outputs Y, and the last state as output `i`.
  void store_sequence(const std::vector<ir::BufferId>& states);
  void store_last(int i, std::optional<ir::BufferId> state);

  LowerContext& c;
  const RecurrentShape& shape;
  const int direction;
  const DType type;

 private:
  std::optional<ir::BufferId> projections_;  // [steps, batch, gates * hidden], steps in the order of this direction
  bool has_lengths() const { return c.has_input(4); }
  Scalar length(IndexExpr b) const;
  ir::BufferId project();
  ir::BufferId stacked(const std::vector<ir::BufferId>& states);
};

}  // namespace cppgen::ops
