#include "cppgen/custom/functions.h"

#include <utility>

namespace cppgen::custom {
namespace {

using enum ir::BinaryOp;

constexpr auto kLastUnary = ir::UnaryOp::is_inf;  // followed by roundings to storage types
constexpr auto kLastBinary = ir::BinaryOp::ne;

struct OwnFunction {
  std::string_view name;
  Own operation;
  size_t arguments;
};
constexpr OwnFunction kOwn[] = {{"where", Own::where, 3}, {"cast", Own::cast, 2}, {"inside", Own::inside, 2}};

constexpr std::pair<std::string_view, Operation> kOperationSigns[] = {{"+", add},
                                                                      {"-", sub},
                                                                      {"*", mul},
                                                                      {"/", div},
                                                                      {"//", Own::floor_division},
                                                                      {"%", mod_floor},
                                                                      {"<", lt},
                                                                      {"<=", le},
                                                                      {">", gt},
                                                                      {">=", ge},
                                                                      {"==", eq},
                                                                      {"!=", ne},
                                                                      {"and", Own::logical_and},
                                                                      {"or", Own::logical_or}};

template <class Op>
std::optional<Op> named(std::string_view name, Op last) {
  for (int op = 0; op <= int(last); op++)
    if (ir::name_of(Op(op)) == name) return Op(op);
  return std::nullopt;
}

}  // namespace

Operation unary_signed(std::string_view sign) { return sign == "-" ? ir::UnaryOp::neg : ir::UnaryOp::logical_not; }

Operation binary_signed(std::string_view sign) {
  for (const auto& [text, operation] : kOperationSigns)
    if (sign == text) return operation;
  return {};
}

Operation function_named(std::string_view name) {
  for (const OwnFunction& own : kOwn)
    if (name == own.name) return own.operation;
  if (name == "broadcast") return Own::broadcast;
  if (const auto op = named(name, kLastUnary)) return *op;
  if (const auto op = named(name, kLastBinary)) return *op;
  return {};
}

std::optional<size_t> arguments_of(const Operation& function) {
  if (std::holds_alternative<ir::UnaryOp>(function)) return 1;
  if (std::holds_alternative<ir::BinaryOp>(function)) return 2;
  for (const OwnFunction& own : kOwn)
    if (function == Operation(own.operation)) return own.arguments;
  return std::nullopt;
}

std::string function_names() {
  std::string names;
  for (const OwnFunction& own : kOwn) names += (names.empty() ? "" : ", ") + std::string(own.name);
  for (int op = 0; op <= int(kLastUnary); op++) names += ", " + std::string(ir::name_of(ir::UnaryOp(op)));
  for (int op = 0; op <= int(kLastBinary); op++) names += ", " + std::string(ir::name_of(ir::BinaryOp(op)));
  return names;
}

}  // namespace cppgen::custom
