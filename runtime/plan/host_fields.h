#pragma once
#include <fmt/format.h>

#include "runtime/plan/call_fields.h"
#include "runtime/plan/module.h"

namespace cppgen::rt {

// The parameters of a host step, which HostStep stores without their names.

template <class Call>
void set_fields(HostStep& step, Call call) {
  FlatFields<int64_t> flat = flat_fields<int64_t>(std::move(call));
  step.integers = std::move(flat.integers), step.texts = std::move(flat.texts);
}

// UserError naming the step and the field that is missing or invalid.
template <class Call>
Call fields_of(const HostStep& step) {
  const std::string what = fmt::format("module: {}{}{}", step.origin, step.function.empty() ? "" : ": ", step.function);
  return read_fields<Call>(what, step.integers, {}, step.texts);
}

// Steps without parameters have these.
struct NoFields {
  template <class V>
  void fields(V&) {}
};

}  // namespace cppgen::rt
