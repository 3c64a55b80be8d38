#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/dtype.h"
#include "runtime/custom/description.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {

// What a step of a module says of its custom operator that is a C function: the node's attributes, and types and
// dimensions of the outputs.
struct CustomCall {
  struct Argument {
    std::string name;
    CustomValue value;
  };
  struct Output {
    DType type = DType::f32;
    std::vector<DimExpr> dims;  // symbol k is dimension k of all inputs', one input after the other
  };
  std::string label;  // "com.mycompany.Sort"
  int64_t since_version = 1;
  std::string library;  // for messages: which file is loaded, the user's own description says
  std::vector<Argument> attributes;
  std::vector<Output> outputs;
};

std::string to_json(const CustomCall&);
CustomCall custom_call_from_json(std::string_view text);  // UserError if malformed

}  // namespace cppgen::rt
