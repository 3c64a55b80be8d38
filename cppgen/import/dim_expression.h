#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "cppgen/ir/index/index_expr.h"

namespace cppgen::import {

// A dimension's name read as an expression of other names, as exporters write it: "past + sequence", "2*s0", "(H +
// 1)//2", "Max(s0, s1)". `symbol` returns the value of a name, or nullopt if it is unknown. The result is nullopt if
// the text is anything else; it is then an ordinary name. tests/import/dims_test.cpp
using NamedDimension = std::function<std::optional<ir::IndexExpr>(std::string_view name)>;
std::optional<ir::IndexExpr> parse_dim_expression(std::string_view text, const NamedDimension& symbol);

}  // namespace cppgen::import
