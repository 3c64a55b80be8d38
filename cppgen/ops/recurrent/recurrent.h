#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cppgen/ops/activations.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {

// Helpers that RNN, GRU and LSTM share. Inputs X, W, R, B, sequence_lens, initial_h (LSTM: initial_c, P).
struct RecurrentShape {
  int gates = 0;  // weights have gates * hidden rows
  IndexExpr steps, batch, input, hidden;
  int directions = 1;
  bool batch_first = false;     // layout 1: [batch, steps, ..]
  bool first_reversed = false;  // direction "reverse"
  bool bytes = false;           // weights are quantized: DynamicQuantizeLSTM

  bool reversed(int direction) const { return first_reversed || direction == 1; }
};
RecurrentShape recurrent_shape(InferContext&, int gates);  // checks all inputs
// Quantized weights [directions, K, gates * hidden] in input 1 or 2; their scales and zero points are inputs
// starting at 8 or 10, one for each direction or for each column of each direction.
void check_quantized_weights(InferContext&, const RecurrentShape&);
// [rows.., gates * hidden] = x, quantized at run time with one scale, times the weights of a direction.
ir::BufferId emit_quantized_product(LowerContext&, const RecurrentShape&, int weights, int direction, const Shape& x,
                                    const std::function<Scalar(const std::vector<IndexExpr>&)>& value);
void infer_recurrent(InferContext&, int gates, int states);

// An activation of a gate with its parameters, and the clip of its argument.
struct GateFunction {
  const Activation* activation;
  double alpha = 0, beta = 0, clip = 0;  // clip 0: none
  Scalar operator()(Scalar) const;
};
// `defaults` are those of one direction; UserError for an unknown activation.
std::vector<GateFunction> gate_functions(InferContext&, const std::vector<std::string>& defaults, int directions);

// Lowering of one direction. It is created before the repetition over the steps, where it projects the input of all
// steps and sets the initial states; the computation of one step is added inside the repetition.
class RecurrentPass {
 public:
  // `states`: the hidden state, and of an LSTM the cell; their initial values are the inputs starting at 5.
  RecurrentPass(LowerContext&, const RecurrentShape&, int direction, IndexExpr step, int states);

  // Inside the repetition. Element (b, h) of gate `gate` at this step: X W^T + Wb.
  Scalar projected(int gate, IndexExpr b, IndexExpr h) const;
  Scalar recurrent_bias(int gate, IndexExpr h) const;
  Scalar weight_bias(int gate, IndexExpr h) const;
  // [batch, count * hidden]: state x R^T of gates first .. first + count.
  ir::BufferId recur(ir::BufferId state, int first, int count);
  Scalar value(ir::BufferId state, IndexExpr b, IndexExpr h) const;
  // Stores the new state while the sequence lasts, else the previous one; the hidden state is also the result of this
  // step.
  using ValueAt = std::function<Scalar(IndexExpr b, IndexExpr h)>;
  void store_cell(const ValueAt& next);
  void store_hidden(const ValueAt& next);

  // After the repetition, stores the parts of the outputs that the steps did not store.
  void finish();

  LowerContext& c;
  const RecurrentShape& shape;
  const int direction;
  const DType type;
  std::vector<ir::Carried> states;

 private:
  const IndexExpr step_;
  ir::BufferId projections_ = -1;  // [steps, batch, gates * hidden], in the order of time
  ir::BufferId sequence_ = -1;  // [steps, batch, hidden], in the order of the steps, if these differ within the batch

  bool has_lengths() const { return c.has_input(4); }
  bool gathers() const { return shape.reversed(direction) && has_lengths(); }
  IndexExpr time() const;          // of this step, unless it gathers
  Scalar time(IndexExpr b) const;  // if it gathers
  Scalar runs(IndexExpr b) const;  // the sequence has this step
  Scalar length(IndexExpr b) const;
  std::vector<IndexExpr> in_output(IndexExpr time, IndexExpr b, IndexExpr h) const;
  ir::BufferId project();
  ir::Carried state(int input);
  ir::LoopNest state_nest(const std::string& name, const ir::Carried&, const ValueAt& next);
  void add_result(ir::LoopNest&) const;
  void gather_sequence();
  void store_last(int output, const ir::Carried&);
};

}  // namespace cppgen::ops
