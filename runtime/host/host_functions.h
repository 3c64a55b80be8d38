#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/plan/host_fields.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

// Operators on whole values: sequences, optionals, strings, and results whose size only the data decide. Inputs stand
// in the order of the operator, absent ones are null; a function returns one value per output of the step.
struct HostCall {
  const HostStep& step;
  std::vector<const Value*> inputs;

  // UserError naming the node, saying what was found, unless input `i` is there and of this kind.
  const Tensor& tensor(size_t i) const;
  const StringTensor& strings(size_t i) const;
  const Value::Sequence& sequence(size_t i) const;
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  int64_t integer(size_t i) const;  // the one element of an int32 or int64 tensor
  [[noreturn]] void fail(const std::string& what) const;
};

std::vector<Value> one_value(Value);

using HostFunction = std::function<std::vector<Value>(const HostCall&)>;
struct NamedHostFunction {
  std::string_view name;
  size_t inputs;                             // least number, checked before `prepare`
  HostFunction (*prepare)(const HostStep&);  // what a step's parameters come to is made once
};

inline HostFunction prepared(std::vector<Value> (*run)(const HostCall&), const HostStep& step) {
  fields_of<NoFields>(step);
  return run;
}
template <class Fields>
HostFunction prepared(std::vector<Value> (*run)(const HostCall&, const Fields&), const HostStep& step) {
  return [run, fields = fields_of<Fields>(step)](const HostCall& call) { return run(call, fields); };
}
// A function of a call alone, or of a call and the step's parameters.
template <auto run>
HostFunction prepare(const HostStep& step) {
  return prepared(run, step);
}

// For the calls of this step, which outlives it. UserError if there is none, or inputs or parameters are missing or
// wrong.
HostFunction find_host_function(const HostStep&);

// The files that define them.
std::span<const NamedHostFunction> sequence_functions();
std::span<const NamedHostFunction> selection_functions();
std::span<const NamedHostFunction> choice_functions();
std::span<const NamedHostFunction> suppression_functions();
std::span<const NamedHostFunction> string_functions();
std::span<const NamedHostFunction> text_functions();
std::span<const NamedHostFunction> image_functions();
std::span<const NamedHostFunction> map_functions();
std::span<const NamedHostFunction> decoding_functions();

// What a text says, as Cast reads it. UserError naming the node if that is no number.
double number_in(const HostCall&, std::string_view text);
int64_t integer_in(const HostCall&, std::string_view text);

}  // namespace cppgen::rt
