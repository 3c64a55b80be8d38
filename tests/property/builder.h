#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "tests/property/random_graph.h"

namespace cppgen::property {

// Grows a random graph node by node. Operators that a builder adds keep track of bounds and errors.
class Builder {
 public:
  explicit Builder(uint64_t seed);

  RandomGraph result;
  std::mt19937_64 random;

  Graph& graph() { return result.graph; }
  const TensorType& type(ValueId v) { return *graph().value(v).type; }
  const Shape& shape(ValueId v) { return type(v).shape; }
  size_t rank(ValueId v) { return shape(v).size(); }
  DType dtype(ValueId v) { return type(v).dtype; }
  Fact fact(ValueId v) const { return result.facts[size_t(v)]; }  // a copy: facts move as values are added

  int64_t uniform(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(random); }
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random) < p; }
  template <class T>
  T any_of(const std::vector<T>& list) {
    return list[size_t(uniform(0, int64_t(list.size()) - 1))];
  }
  int64_t extent();                       // a dimension: small, and around vector widths
  Shape random_shape(size_t least_rank);  // of at most kMostElements

  // A value that satisfies `wanted`, preferably a late one.
  std::optional<ValueId> pick(const std::function<bool(ValueId)>& wanted);
  std::optional<ValueId> pick_float(double most_bound = 1e4);
  // Dimensions that are known numbers.
  std::vector<int64_t> constant_axes(ValueId, int64_t least = 1);
  int64_t elements(const Shape&);  // the symbol counted as kSymbolGuess

  ValueId input(DType, Shape, InputRange);
  ValueId constant(DType, std::vector<int64_t> dims, double lo, double hi);
  ValueId scalar(DType, double value);
  ValueId ints(std::vector<int64_t> values) { return graph().add_constant(fresh("i"), make_ints(values)), note({}); }
  // A float parameter of this shape: a constant, or a graph input.
  ValueId parameter(DType, const std::vector<int64_t>& dims, double lo = -1, double hi = 1);

  // Appends a node with inferred outputs.
  std::vector<ValueId> node(const std::string& op, std::vector<ValueId> inputs,
                            std::map<std::string, Attribute> attributes, int outputs, Fact);
  ValueId add(const std::string& op, std::vector<ValueId> inputs, Fact f,
              std::map<std::string, Attribute> attributes = {}) {
    return node(op, std::move(inputs), std::move(attributes), 1, f)[0];
  }
  // bound and error after a rounding to the type of `v`.
  Fact rounded(ValueId v, double bound, double error) { return {bound, error + unit_of(dtype(v)) * bound}; }

 private:
  int next_name_ = 0;
  std::string fresh(const char* prefix) { return prefix + std::to_string(next_name_++); }
  ValueId note(Fact f);
  void check_fact(ValueId);  // UserError if a float is not fit for a test
};

inline constexpr int64_t kSymbolGuess = 16, kMostElements = 12000;
inline constexpr int kOpset = 20;

// One way to append nodes; false if the graph has nothing that it fits.
struct Step {
  const char* name;
  double weight;
  bool (*append)(Builder&);
};
void add_pointwise_steps(std::vector<Step>&);
void add_exact_steps(std::vector<Step>&);
void add_movement_steps(std::vector<Step>&);
void add_selection_steps(std::vector<Step>&);
void add_reduction_steps(std::vector<Step>&);
void add_contraction_steps(std::vector<Step>&);

}  // namespace cppgen::property
