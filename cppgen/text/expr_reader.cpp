#include "cppgen/text/expr_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cppgen/ir/text/print_expr.h"
#include "cppgen/ir/values/op_table.h"
#include "cppgen/text/tensor_reader.h"

namespace cppgen::text {

using ir::Expr;
using ir::IndexExpr;

namespace {

constexpr int kMostValueLevels = 1000;
constexpr size_t kMostDigits = 8;

// `b12` is number 12 of `b`.
std::optional<int> number_behind(const std::string& prefix, const std::string& name) {
  const std::string digits = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
  if (digits.empty() || digits.size() > kMostDigits || digits.find_first_not_of("0123456789") != digits.npos)
    return std::nullopt;
  return std::stoi(digits);
}

template <class Op>
std::optional<Op> operation(const std::string& name, int count) {
  for (int i = 0; i < count; i++)
    if (name_of(Op(i)) == name) return Op(i);
  return std::nullopt;
}

constexpr int kUnaryCount = 0
#define CPPGEN_UNARY(...) +1
#include "cppgen/ir/values/operations.def"
    ;
constexpr int kBinaryCount = 0
#define CPPGEN_BINARY(...) +1
#include "cppgen/ir/values/operations.def"
    ;

}  // namespace

void ExprReader::begin_nest() {
  scope_.clear(), defined_.clear();
  begin_values();
}

void ExprReader::begin_values(std::vector<DType> results) {
  values_.clear();
  accumulators_ = std::move(results);
}

ExprReader::Scope ExprReader::enter() {
  defined_.clear();
  return scope_;
}

// What follows in the outer scope defines no name again that it has.
void ExprReader::leave(Scope outer) {
  scope_ = std::move(outer);
  defined_.clear();
  for (const auto& [name, variable] : scope_) defined_.insert(name);
}

FindVariable ExprReader::finder() const {
  return [this](const std::string& name, Place place) {
    const auto found = scope_.find(name);
    return found == scope_.end() ? symbol_(name, place) : found->second;
  };
}

IndexExpr ExprReader::index() { return read_index(reader_, finder()); }
std::vector<IndexExpr> ExprReader::indices() { return read_indices(reader_, finder()); }

// Variables of the same name and extent are the same in all nests.
IndexExpr ExprReader::variable(ir::VarKind kind, const std::string& name, IndexExpr extent, const std::string& purpose,
                               Place place) {
  if (!defined_.insert(name).second)
    reader_.fail_at(place, fmt::format("the variable {} is defined twice", ir::quoted(name)));
  std::vector<IndexExpr>& known = variables_[name];
  const auto same = std::find_if(known.begin(), known.end(), [&](IndexExpr v) {
    return v.node()->kind == kind && v.node()->extent == extent && v.node()->purpose == purpose;
  });
  if (same != known.end()) return scope_[name] = *same;
  ir::IndexNode node{};
  node.kind = kind, node.name = name, node.extent = extent, node.purpose = purpose;
  known.push_back(program_.index->add_variable(node));
  return scope_[name] = known.back();
}

ir::Loop ExprReader::loop() {
  const Place place = reader_.peek().place;
  const std::string name = reader_.any_name("the name of a loop variable");
  reader_.expect_sign("<");
  const IndexExpr extent = read_index(reader_, symbol_);
  return {variable(ir::VarKind::loop, name, extent, "", place), extent};
}

bool ExprReader::at_named_value() const {
  return reader_.at(TokenKind::name) && number_behind("t", reader_.peek().text).has_value();
}

void ExprReader::named_value() {
  const Token name = reader_.take();
  reader_.expect_sign("=");
  const Expr read = value();
  if (!values_.emplace(name.text, read).second)
    reader_.fail_at(name.place, fmt::format("the value {} is defined twice", name.text));
}

bool ExprReader::at_buffer() const {
  return reader_.at(TokenKind::name) && number_behind("b", reader_.peek().text).has_value();
}

ir::BufferId ExprReader::buffer() {
  if (!at_buffer()) reader_.expected("a buffer, such as b0");
  const int id = *number_behind("b", reader_.peek().text);
  if (size_t(id) >= program_.buffers.size()) reader_.fail(fmt::format("there is no buffer b{}", id));
  reader_.take();
  return id;
}

std::vector<ir::Indirect> ExprReader::bindings() {
  std::vector<ir::Indirect> all;
  if (!reader_.accept_word("let")) return all;
  do {
    const Place place = reader_.peek().place;
    const std::string name = reader_.any_name("the name of a variable");
    reader_.expect_sign("<");
    const IndexExpr extent = index();
    const std::string purpose = reader_.accept_word("for") ? reader_.string("a purpose, a string") : "";
    reader_.expect_sign("=");
    const Expr bound = value();
    if (bound->type != DType::i64)
      reader_.fail_at(place, "a variable is bound to an int64, not to a " + std::string(name_of(bound->type)));
    all.push_back({variable(ir::VarKind::indirect, name, extent, purpose, place).node(), bound});
  } while (reader_.accept_sign(","));
  reader_.expect_word("in");
  return all;
}

void ExprReader::forget(const std::vector<ir::Indirect>& bindings) {
  for (const ir::Indirect& i : bindings) scope_.erase(i.variable->name), defined_.erase(i.variable->name);
}

Expr ExprReader::value() {
  const Reader::Level level(reader_, depth_, kMostValueLevels, "values");
  if (reader_.at_sign("-") || reader_.at(TokenKind::number)) return number();
  if (at_buffer()) return load();
  if (reader_.accept_sign("(")) {
    const Expr inner = load();
    reader_.expect_sign(")");
    return inner;
  }
  return name();
}

// float32 with a point or exponent, else int64.
Expr ExprReader::number() {
  const bool minus = reader_.accept_sign("-");
  const bool is_float =
      reader_.at_word("inf") || reader_.at_word("nan") || reader_.peek().text.find_first_of(".e") != std::string::npos;
  if (is_float) {
    const float read = read_float(reader_);
    return program_.exprs->constant(DType::f32, minus ? -read : read);
  }
  if (minus && reader_.peek().text == "9223372036854775808") {
    reader_.take();
    return program_.exprs->constant_int(DType::i64, std::numeric_limits<int64_t>::min());
  }
  const int64_t read = reader_.integer("a number");
  return program_.exprs->constant_int(DType::i64, minus ? -read : read);
}

Expr ExprReader::literal(DType type) {
  if (type == DType::f64) return program_.exprs->constant(type, read_double(reader_));
  if (is_float(type)) return program_.exprs->constant(type, read_float(reader_));
  return program_.exprs->constant_int(type, int64_t(read_element(reader_, type)));
}

// A number of the type, or a cast to it.
Expr ExprReader::typed(DType type, Place place) {
  if (type != ir::value_type(type))
    reader_.fail_at(place, fmt::format("{} is a storage type, which no value can have", name_of(type)));
  reader_.expect_sign("(");
  const bool is_number = reader_.at_sign("-") || reader_.at(TokenKind::number) || reader_.at_word("inf") ||
                         reader_.at_word("nan") || reader_.at_word("bits");
  const Expr result = is_number && type != DType::boolean ? literal(type) : program_.exprs->cast(type, value());
  reader_.expect_sign(")");
  return result;
}

std::vector<ir::Guard> ExprReader::guards() {
  std::vector<ir::Guard> all;
  if (!reader_.accept_word("if")) return all;
  do {
    ir::Guard guard;
    guard.lo = index();
    reader_.expect_sign("<=");
    guard.index = index();
    reader_.expect_sign("<");
    guard.hi = index();
    all.push_back(guard);
  } while (reader_.accept_word("and"));
  reader_.expect_word("else");
  return all;
}

Expr ExprReader::load() {
  const Place place = reader_.peek().place;
  std::vector<ir::Indirect> indirects = bindings();
  const ir::BufferId id = buffer();
  std::vector<IndexExpr> at = indices();
  const DType storage = program_.buffer(id).type;
  if (at.size() != program_.buffer(id).shape.size())
    reader_.fail_at(place,
                    fmt::format("b{} has {} dimensions, not {}", id, program_.buffer(id).shape.size(), at.size()));
  std::vector<ir::Guard> conditions = guards();
  forget(indirects);
  const Expr fallback = conditions.empty() ? nullptr : value();
  return reader_.at_place(place, [&] {
    return program_.exprs->load(id, storage, std::move(at), std::move(conditions), fallback, std::move(indirects));
  });
}

Expr ExprReader::name() {
  const Place place = reader_.peek().place;
  if (reader_.at_word("inf") || reader_.at_word("nan") || reader_.at_word("bits"))
    return program_.exprs->constant(DType::f32, read_float(reader_));
  if (reader_.at_word("true") || reader_.at_word("false"))
    return program_.exprs->constant_int(DType::boolean, reader_.take().text == "true");
  if (const std::optional<DType> type = accept_element_type(reader_)) return typed(*type, place);
  const std::string name = reader_.name("a value");
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  if (const std::optional<int> number = number_behind("acc", name)) {
    if (size_t(*number) >= accumulators_.size()) reader_.fail_at(place, fmt::format("there is no reduction {}", name));
    return program_.exprs->accumulator(*number, accumulators_[size_t(*number)]);
  }
  return call(name, place);
}

Expr ExprReader::call(const std::string& name, Place place) {
  ir::ExprArena& exprs = *program_.exprs;
  const auto unary = operation<ir::UnaryOp>(name, kUnaryCount);
  const auto binary = operation<ir::BinaryOp>(name, kBinaryCount);
  if (!unary && !binary && name != "select" && name != "index")
    reader_.fail_at(place, fmt::format("there is no value and no operation {}", ir::quoted(name)));
  std::vector<Expr> args;
  if (name == "index") {
    reader_.expect_sign("(");
    const IndexExpr inner = index();
    reader_.expect_sign(")");
    return exprs.index(inner);
  }
  reader_.list("(", ")", [&] { args.push_back(value()); });
  const size_t wanted = unary ? 1 : binary ? 2 : 3;
  if (args.size() != wanted)
    reader_.fail_at(place, fmt::format("{} takes {} operands, found {}", name, wanted, args.size()));
  return reader_.at_place(place, [&] {
    if (unary) return exprs.unary(*unary, args[0]);
    return binary ? exprs.binary(*binary, args[0], args[1]) : exprs.select(args[0], args[1], args[2]);
  });
}

}  // namespace cppgen::text
