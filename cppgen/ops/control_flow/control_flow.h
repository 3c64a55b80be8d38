#pragma once
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/ops/common.h"
#include "cppgen/ops/value_type.h"

namespace cppgen::ops {

// Helpers that operators with bodies share. A body is a graph whose last inputs are the values that it captures from
// the enclosing graph.

void set_captures(InferContext&, const std::string& attribute, Graph& body);  // their types, and what is known of them
size_t own_inputs(InferContext&, const std::string& attribute);               // of the body, without captures
int given_inputs(InferContext&, std::initializer_list<const char*> bodies);   // of the node, without captures
rt::HostStep step_of(rt::HostOp);

// Infers the body repeatedly until the types of the carried values cover the initial values (inputs from `first` on)
// and the body's results (outputs from `first_output` on). `set_rest` sets the types of the other inputs.
std::vector<ValueType> carried_types(InferContext&, const std::string& attribute, size_t first, size_t carried,
                                     size_t first_output, const std::function<void(Graph&)>& set_rest,
                                     const Graph** typed_body);
// Dimensions that only the body knows become symbols of the enclosing graph.
ValueType seen_from_outside(InferContext&, int output, const ValueType&, const std::set<std::string>& visible);
// Output `i`: results of the body stacked along `axis`.
void set_stacked(InferContext&, int i, const ValueType& each, std::optional<IndexExpr> length, int64_t axis,
                 const std::set<std::string>& visible);
// Types of the stacked results, for runs without iterations.
std::vector<rt::ValueInfo> stacked_infos(InferContext&, const std::string& attribute, size_t first);

// A body that runs as a repetition in a plan: its states come first among its inputs and outputs.
struct RepeatedBody {
  IndexExpr steps;
  std::optional<IndexExpr> step;  // the symbol that the body has as contents of an input; else a new one
  int first_state = 0;            // of the node's inputs
  int64_t states = 0;
  size_t first_input = 0, first_output = 0;  // of the body, that are states
  struct Axis {
    int64_t axis;
    bool backwards;
  };
  std::vector<Axis> scanned, stacked;  // of the node's inputs after the states, and of its outputs after them
};

// Types the body for a plan, with `set_inputs` for its own inputs, and sets the node's outputs, if a plan can run it:
// kernels can compute all of it, its states keep their types, and no tensor's dimensions depend on the step. Otherwise
// the body is unchanged. `form_of` receives the typed body, all of whose outputs are tensors, and may refuse it.
using FormOf = std::function<std::optional<RepeatedBody>(const Graph& body)>;
bool infer_in_plan(InferContext&, const std::function<void(Graph&)>& set_inputs, const FormOf& form_of);
void lower_repeated(LowerContext&, const RepeatedBody&);

}  // namespace cppgen::ops
