#include "tests/differential/row.h"

namespace cppgen::differential {

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> t;
    for (auto add : {add_pointwise_rows, add_activation_rows, add_movement_rows, add_selection_rows, add_reduction_rows,
                     add_window_rows, add_contraction_rows, add_quantized_rows, add_sequence_rows, add_fused_rows,
                     add_moved_rows, add_quantized_fused_rows, add_learner_rows})
      add(t);
    return t;
  }();
  return all;
}

}  // namespace cppgen::differential
