#include "cppgen/import/dims.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "cppgen/import/dim_expression.h"
#include "cppgen/import/tensors.h"
#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_identifier(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Some exporters write one of these for every dimension that a run decides, so dimensions that have it need not be
// equal; others write a negative size.
bool says_something(const std::string& name) {
  static const std::set<std::string> kNothing = {"", "?", "-1", "*", "None", "none", "null", "unk", "unknown"};
  return !kNothing.count(name);
}

// INPUT.AXIS; the input's own name may have dots.
bool split_axis(const std::string& text, std::string& input, int& axis) {
  size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0) return false;
  auto number = parse_number(std::string_view(text).substr(dot + 1));
  if (!number || *number < 0 || *number >= kMaxRank) return false;
  input = text.substr(0, dot);
  axis = int(*number);
  return true;
}

}  // namespace

DimOption parse_dim_option(const std::string& text) {
  constexpr const char* kAllowed =
      "allowed are INPUT.AXIS=NAME, which makes a dimension symbolic, and NAME=N, which binds one";
  size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) user_error("dimension option {}: {}", quoted(text), kAllowed);
  std::string left = text.substr(0, equals), right = text.substr(equals + 1);
  DimOption option;
  if (auto size = parse_number(right)) {
    if (*size < 0) user_error("dimension option {}: a size must not be negative", quoted(text));
    option.symbol = left;
    option.size = size;
    return option;
  }
  if (!is_identifier(right))
    user_error("dimension option {}: {} is neither a size nor a name of letters, digits and _; {}", quoted(text),
               quoted(right), kAllowed);
  option.symbol = right;
  if (!split_axis(left, option.input, option.axis))
    user_error("dimension option {}: {} is not INPUT.AXIS with an axis from 0 to {}; {}", quoted(text), quoted(left),
               kMaxRank - 1, kAllowed);
  return option;
}

std::string to_string(const DimOption& dim) {
  return dim.size ? fmt::format("{}={}", dim.symbol, *dim.size)
                  : fmt::format("{}.{}={}", dim.input, dim.axis, dim.symbol);
}

namespace import {

InputDims::InputDims(IndexArena& index, const std::vector<DimOption>& options,
                     const std::vector<const onnx::ValueInfoProto*>& graph_inputs, bool expressions)
    : index_(index), expressions_(expressions) {
  for (const DimOption& option : options)
    if (!option.size) add_symbolic(option);
  DimNames dims;
  for (const auto* input : graph_inputs) {
    auto& list = dims[input->name()];
    for (int axis = 0; axis < input->type().tensor_type().shape().dim_size(); axis++) {
      list.push_back(dim_of(*input, axis));
      if (!list.back().symbol.empty()) symbols_.insert(list.back().symbol);
    }
  }
  for (const auto& [key, symbol] : symbolic_) {
    auto found = dims.find(key.first);
    if (found == dims.end()) {
      std::vector<std::string> names;
      for (const auto& [name, list] : dims) names.push_back(quoted(name));
      user_error("dimension option {}.{}={}: the model has no input {}; inputs are {}", key.first, key.second, symbol,
                 quoted(key.first), fmt::join(names, ", "));
    }
    if (size_t(key.second) >= found->second.size())
      user_error("dimension option {}.{}={}: the input has {} dimensions", key.first, key.second, symbol,
                 found->second.size());
  }
  for (const DimOption& option : options)
    if (option.size) add_binding(option, dims, symbols_);
}

void InputDims::add_symbolic(const DimOption& option) {
  auto [at, added] = symbolic_.emplace(std::pair(option.input, option.axis), option.symbol);
  if (!added && at->second != option.symbol)
    user_error("dimension options: {}.{} is named both {} and {}", option.input, option.axis, at->second,
               option.symbol);
}

// Returns how a dimension that the model fixes becomes a free one of this name; empty if there is none.
std::string InputDims::cure(const std::string& symbol, const DimNames& dims) {
  for (const auto& [input, list] : dims)
    for (size_t axis = 0; axis < list.size(); axis++)
      if (list[axis].symbol.empty())
        return fmt::format("; --dim {}.{}={} makes a fixed dimension free ({} there)", input, axis,
                           is_identifier(symbol) ? symbol : "NAME", list[axis].size);
  return "";
}

void InputDims::add_binding(const DimOption& option, const DimNames& dims, const std::set<std::string>& symbols) {
  if (symbols.count(option.symbol)) return bind(option.symbol, *option.size);
  std::string input;
  int axis = 0;
  auto found = split_axis(option.symbol, input, axis) ? dims.find(input) : dims.end();
  if (found == dims.end()) {
    const auto meant = setting_values::likely_meant(option.symbol, {symbols.begin(), symbols.end()});
    const std::string known = meant             ? fmt::format("did you mean {}?", *meant)
                              : symbols.empty() ? "all of its dimensions are fixed"
                                                : fmt::format("its symbols are {}", fmt::join(symbols, ", "));
    user_error("dimension option {}={}: the model has no dimension of this name; {}{}", option.symbol, *option.size,
               known, meant ? "" : cure(option.symbol, dims));
  }
  if (size_t(axis) >= found->second.size())
    user_error("dimension option {}={}: the input has {} dimensions", option.symbol, *option.size,
               found->second.size());
  const Dim& dim = found->second[size_t(axis)];
  if (!dim.symbol.empty()) return bind(dim.symbol, *option.size);
  if (dim.size != *option.size)
    user_error(
        "dimension option {0}={1}: the model fixes this dimension at {2}; --dim {0}=NAME makes it free, and "
        "--dim NAME={1} then sets it",
        option.symbol, *option.size, dim.size);
}

void InputDims::bind(const std::string& symbol, int64_t size) {
  auto [at, added] = sizes_.emplace(symbol, size);
  if (!added && at->second != size)
    user_error("dimension options: {} is bound to both {} and {}", symbol, at->second, size);
}

InputDims::Dim InputDims::dim_of(const onnx::ValueInfoProto& input, int axis) const {
  auto named = symbolic_.find({input.name(), axis});
  if (named != symbolic_.end()) return {0, named->second};
  const auto& dim = input.type().tensor_type().shape().dim(axis);
  if (dim.has_dim_value() && dim.dim_value() >= 0) return {dim.dim_value(), ""};
  if (says_something(dim.dim_param())) return {0, dim.dim_param()};
  return {0, fmt::format("{}.{}", input.name(), axis)};
}

std::optional<IndexExpr> InputDims::known_symbol(const std::string& name) {
  if (const auto bound = sizes_.find(name); bound != sizes_.end()) return IndexExpr(bound->second);
  return symbols_.count(name) ? std::optional(index_.symbol(name)) : std::nullopt;
}

IndexExpr InputDims::named(const std::string& name) {
  if (expressions_ && !is_identifier(name) && !sizes_.count(name)) {
    const auto value = parse_dim_expression(name, [&](std::string_view n) { return known_symbol(std::string(n)); });
    if (value && ir::prove_less_equal(0, *value)) return *value;
  }
  return index_.symbol(name);
}

Shape InputDims::shape(const onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  Shape shape;
  std::vector<int64_t> fixed;
  for (int axis = 0; axis < std::min(type.shape().dim_size(), int(kMaxRank) + 1); axis++) {
    Dim dim = dim_of(input, axis);
    auto bound = dim.symbol.empty() ? sizes_.end() : sizes_.find(dim.symbol);
    if (bound != sizes_.end()) dim = {bound->second, ""};
    shape.push_back(dim.symbol.empty() ? IndexExpr(dim.size) : named(dim.symbol));
    fixed.push_back(dim.symbol.empty() ? dim.size : 1);
  }
  try {
    tensor_bytes(DType::f64, fixed);
  } catch (const UserError& e) {
    user_error("input {} {}", quoted(input.name()), e.what());
  }
  return shape;
}

}  // namespace import
}  // namespace cppgen
