#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "runtime/plan/host_fields.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

// Operators on whole values: sequences, optionals, strings, and results whose size depends on the data. Inputs are in
// the order of the operator, and absent ones are null; a function returns one value per output of the step.
struct HostCall {
  const HostStep& step;
  std::vector<const Value*> inputs;

  // UserError naming the node and what was found, unless input `i` is present and of this kind.
  const Tensor& tensor(size_t i) const;
  const StringTensor& strings(size_t i) const;
  const Value::Sequence& sequence(size_t i) const;
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  int64_t integer(size_t i) const;  // the one element of an int32 or int64 tensor
  [[noreturn]] void fail(const std::string& what) const;
};

std::vector<Value> one_value(Value);

using HostFunction = std::function<std::vector<Value>(const HostCall&)>;

// The function of a step: one of the call only, or of the call and the step's parameters.
inline HostFunction prepared(std::vector<Value> (*run)(const HostCall&), const HostStep& step) {
  fields_of<NoFields>(step);
  return run;
}
template <class Fields>
HostFunction prepared(std::vector<Value> (*run)(const HostCall&, const Fields&), const HostStep& step) {
  return [run, fields = fields_of<Fields>(step)](const HostCall& call) { return run(call, fields); };
}

// The function for the calls of this step, which must outlive it. UserError if there is no such function, or if inputs
// or parameters are missing or wrong.
HostFunction find_host_function(const HostStep&);

// The functions that prepare those of functions.def.
#define CPPGEN_HOST_FUNCTION(name, inputs) HostFunction prepare_##name(const HostStep&);
#include "runtime/host/functions.def"

// The number that a text represents, as Cast reads it. UserError naming the node if it is not a number.
double number_in(const HostCall&, std::string_view text);
int64_t integer_in(const HostCall&, std::string_view text);

}  // namespace cppgen::rt
