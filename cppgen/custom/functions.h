#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cppgen/ir/values/expr.h"

namespace cppgen::custom {

// Operations of the language that are not one of ir/values/expr.h.
enum class Own : uint8_t {
  floor_division,  // a // b
  logical_and,     // of bool alone, as is
  logical_or,
  where,
  cast,
  inside,
  broadcast,  // of the shapes of inputs
};
// An operation or a reduction; monostate: there is no function of that name.
using Operation = std::variant<std::monostate, ir::UnaryOp, ir::BinaryOp, ir::ReduceOp, Own>;

Operation unary_signed(std::string_view sign);   // - not
Operation binary_signed(std::string_view sign);  // + - * / // %, comparisons, and, or
// where, cast, inside, broadcast, and the operations of ir/values/expr.h by name.
Operation function_named(std::string_view name);

// The number of arguments of a function in a statement; nullopt if statements have no such function.
std::optional<size_t> arguments_of(const Operation& function);
std::string function_names();  // of statements: "where, cast, ..."

}  // namespace cppgen::custom
