#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cppgen::differential {

// States how close a compiled result must be to the interpreter's.
struct Agreement {
  enum Kind : uint8_t {
    exact,  // the same bits, but for the payload of NaN
    ulps,   // of each element: `factor` units in the last place
    sums,   // `factor` units in the last place of the tensor's largest element: results of sums that may cancel
  };
  Kind kind = exact;
  double factor = 0;
  int64_t quanta = 0;  // integers that are rounded or truncated from inexact floats may differ by this; else by nothing
};
inline constexpr Agreement kExact{};
constexpr Agreement ulps(double n, int64_t quanta = 0) { return {Agreement::ulps, n, quanta}; }
constexpr Agreement sums(double n, int64_t quanta = 0) { return {Agreement::sums, n, quanta}; }

// Sample nodes of one operator. `cases` are separated by ';', each is
//   inputs | attributes -> outputs
// where attributes and the number of outputs (else 1) may be missing. An input is `-` (left out) or
//   type[2,3,N] flags
// with a type's name or T, which stands for every type that the operator takes; N is a symbolic dimension. Flags:
//   !        a constant
//   =1,2,3   a constant of these numbers
//   @lo..hi  numbers of this range only, else any: NaN, infinities, extremes of integers in some runs
//   *        any numbers but those whose products may overflow as floats (Numbers::special_factors)
// Attributes are name=value: 3, 0.5, 'text', [1,2], [0.5,1.0], or a tensor in the form of an input.
struct Row {
  const char* op;
  Agreement agreement;
  std::string cases;
  int opset = 22;
  const char* domain = "";
};

// Every row, all families.
const std::vector<Row>& rows();
// Samples that must be refused, for the page about operators.
const std::vector<Row>& refused_rows();

void add_pointwise_rows(std::vector<Row>&);
void add_activation_rows(std::vector<Row>&);
void add_movement_rows(std::vector<Row>&);
void add_selection_rows(std::vector<Row>&);
void add_reduction_rows(std::vector<Row>&);
void add_window_rows(std::vector<Row>&);
void add_contraction_rows(std::vector<Row>&);
void add_quantized_rows(std::vector<Row>&);
void add_sequence_rows(std::vector<Row>&);
void add_fused_rows(std::vector<Row>&);
void add_moved_rows(std::vector<Row>&);
void add_quantized_fused_rows(std::vector<Row>&);
void add_learner_rows(std::vector<Row>&);

}  // namespace cppgen::differential
