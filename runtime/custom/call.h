#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/dtype.h"
#include "runtime/custom/description.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {

// The call of a custom operator's C function by a step of a module: the node's attributes, and the types and dimensions
// of the outputs.
struct CustomCall {
  struct Argument {
    std::string name;
    CustomValue value;
  };
  struct Output {
    DType type = DType::f32;
    std::vector<DimExpr> dims;  // symbol k is the k-th dimension of all inputs, concatenated
  };
  std::string label;  // "com.mycompany.Sort"
  int64_t since_version = 1;
  std::string library;  // only for messages: the user's own description decides which file is loaded
  std::vector<Argument> attributes;
  std::vector<Output> outputs;
};

std::string to_json(const CustomCall&);
CustomCall custom_call_from_json(std::string_view text);  // UserError if malformed

}  // namespace cppgen::rt
