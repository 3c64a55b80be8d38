#include "runtime/host/host_functions.h"

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

struct NamedHostFunction {
  std::string_view name;
  size_t inputs;
  HostFunction (*prepare)(const HostStep&);
};

constexpr NamedHostFunction kFunctions[] = {
#define CPPGEN_HOST_FUNCTION(name, inputs) {#name, inputs, prepare_##name},
#include "runtime/host/functions.def"
};

}  // namespace

const Tensor& HostCall::tensor(size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i));
  if (const Tensor* t = inputs[i]->tensor()) return *t;
  fail(fmt::format("input {} is {}, not a numeric tensor", i, inputs[i]->description()));
}

const StringTensor& HostCall::strings(size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i));
  if (const StringTensor* t = inputs[i]->strings()) return *t;
  fail(fmt::format("input {} is {}, not a tensor of strings", i, inputs[i]->description()));
}

const Value::Sequence& HostCall::sequence(size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i));
  if (const Value::Sequence* s = inputs[i]->sequence()) return *s;
  fail(fmt::format("input {} is {}, not a sequence", i, inputs[i]->description()));
}

int64_t HostCall::integer(size_t i) const {
  const Tensor& t = tensor(i);
  if (t.elements() != 1) fail(fmt::format("input {} has {} elements, not 1", i, t.elements()));
  if (t.type() == DType::i64) return *t.as<int64_t>();
  if (t.type() == DType::i32) return *t.as<int32_t>();
  fail(fmt::format("input {} is {}, not int32 or int64", i, name_of(t.type())));
}

void HostCall::fail(const std::string& what) const { throw UserError(fmt::format("{}: {}", step.origin, what)); }

std::vector<Value> one_value(Value value) {
  std::vector<Value> values;
  values.push_back(std::move(value));
  return values;
}

HostFunction find_host_function(const HostStep& step) {
  for (const NamedHostFunction& f : kFunctions) {
    if (f.name != step.function) continue;
    if (step.inputs.size() < f.inputs)
      user_error("module: a call of '{}' has {} inputs; it requires {}", f.name, step.inputs.size(), f.inputs);
    return f.prepare(step);
  }
  user_error("module: there is no host function '{}'", step.function);
}

}  // namespace cppgen::rt
