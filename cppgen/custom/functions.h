#pragma once
#include <optional>
#include <string>

#include "cppgen/ir/expr.h"

namespace cppgen::custom {

// The functions of the language: where, cast, inside, and the operations of ir/expr.h by name.
std::optional<ir::UnaryOp> unary_named(const std::string& name);
std::optional<ir::BinaryOp> binary_named(const std::string& name);
std::optional<ir::BinaryOp> binary_signed(const std::string& sign);  // + - * / %, comparisons, and, or

std::optional<size_t> arguments_of(const std::string& function);  // nullopt if there is no such function
std::string function_names();                                     // "where, cast, ..."

}  // namespace cppgen::custom
