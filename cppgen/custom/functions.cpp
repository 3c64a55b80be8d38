#include "cppgen/custom/functions.h"

#include <iterator>
#include <utility>

namespace cppgen::custom {
namespace {

using enum ir::BinaryOp;

constexpr auto kLastUnary = ir::UnaryOp::is_inf;  // behind it are roundings to storage
constexpr auto kLastBinary = ir::BinaryOp::ne;
constexpr std::pair<const char*, size_t> kOwn[] = {{"where", 3}, {"cast", 2}, {"inside", 2}};
constexpr std::pair<const char*, ir::BinaryOp> kSigns[] = {
    {"+", add}, {"-", sub}, {"*", mul}, {"/", div}, {"%", mod_floor}, {"<", lt},     {"<=", le},
    {">", gt},  {">=", ge}, {"==", eq}, {"!=", ne}, {"and", bit_and}, {"or", bit_or}};

template <class Op>
std::optional<Op> named(const std::string& name, Op last) {
  for (int op = 0; op <= int(last); op++)
    if (ir::name_of(Op(op)) == name) return Op(op);
  return std::nullopt;
}

}  // namespace

std::optional<ir::UnaryOp> unary_named(const std::string& name) { return named(name, kLastUnary); }
std::optional<ir::BinaryOp> binary_named(const std::string& name) { return named(name, kLastBinary); }

std::optional<ir::BinaryOp> binary_signed(const std::string& sign) {
  for (const auto& [text, op] : kSigns)
    if (sign == text) return op;
  return std::nullopt;
}

std::optional<size_t> arguments_of(const std::string& function) {
  for (const auto& [name, count] : kOwn)
    if (function == name) return count;
  if (unary_named(function)) return 1;
  if (binary_named(function)) return 2;
  return std::nullopt;
}

std::string function_names() {
  std::string names;
  for (const auto& row : kOwn) names += std::string(names.empty() ? "" : ", ") + row.first;
  for (int op = 0; op <= int(kLastUnary); op++) names += ", " + std::string(ir::name_of(ir::UnaryOp(op)));
  for (int op = 0; op <= int(kLastBinary); op++) names += ", " + std::string(ir::name_of(ir::BinaryOp(op)));
  return names;
}

}  // namespace cppgen::custom
