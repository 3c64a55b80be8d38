#include "cppgen/text/index_reader.h"

#include <fmt/format.h>

#include <limits>

#include "cppgen/ir/text/print_expr.h"

namespace cppgen::text {

using ir::IndexExpr;

namespace {

constexpr int kMostIndexLevels = 64;
constexpr size_t kMostOperands = 64;

class IndexReader {
 public:
  IndexReader(Reader& reader, const FindVariable& find) : reader_(reader), find_(find) {}

  IndexExpr sum() {
    const Reader::Level level(reader_, depth_, kMostIndexLevels, "index expressions");
    IndexExpr result = term(reader_.at_sign("-"));
    while (reader_.at_sign("+") || reader_.at_sign("-")) {
      const Place place = reader_.peek().place;
      const bool minus = reader_.take().text == "-";
      const IndexExpr next = minus ? negative(term(false), place) : term(false);
      result = reader_.at_place(place, [&] { return result + next; });
    }
    return result;
  }

 private:
  Reader& reader_;
  const FindVariable& find_;
  int depth_ = 0;

  IndexExpr negative(IndexExpr e, Place place) const {
    return reader_.at_place(place, [&] { return IndexExpr(-1) * e; });
  }

  // `minus`: a sign is next. That of a number belongs to it, because the least integer has no positive one.
  IndexExpr term(bool minus) {
    const Place place = reader_.peek().place;
    IndexExpr result = 0;
    bool negate = false;
    if (minus) {
      reader_.take();
      negate = !reader_.at(TokenKind::number);
    }
    result = minus && !negate ? negative_number(place) : factor();
    while (reader_.accept_sign("*")) {
      const IndexExpr next = factor();
      result = reader_.at_place(place, [&] { return result * next; });
    }
    return negate ? negative(result, place) : result;
  }

  IndexExpr negative_number(Place place) {
    const std::string digits = reader_.peek().text;
    if (digits == "9223372036854775808") return reader_.take(), std::numeric_limits<int64_t>::min();
    return negative(reader_.integer("an integer"), place);
  }

  IndexExpr factor() {
    if (reader_.at(TokenKind::number)) return reader_.integer("an integer");
    if (reader_.accept_sign("(")) {
      const IndexExpr inner = sum();
      reader_.expect_sign(")");
      return inner;
    }
    const Place place = reader_.peek().place;
    const bool quoted = reader_.at(TokenKind::quoted);
    if (!quoted && !reader_.at(TokenKind::name)) reader_.expected("an index expression");
    const std::string name = reader_.any_name("the name of a symbol");
    return !quoted && reader_.at_sign("(") ? call(name, place) : find_(name, place);
  }

  IndexExpr call(const std::string& function, Place place) {
    std::vector<IndexExpr> args;
    reader_.list("(", ")", [&] {
      if (args.size() == kMostOperands) reader_.fail(fmt::format("more than {} operands", kMostOperands));
      args.push_back(sum());
    });
    const bool divides = function == "floordiv" || function == "mod";
    if (!divides && function != "min" && function != "max")
      reader_.fail_at(place, fmt::format("expected floordiv, mod, min or max before '(', found {}", function));
    if (divides ? args.size() != 2 : args.empty())
      reader_.fail_at(place, fmt::format("{} takes {}, found {}", function,
                                         divides ? "two operands" : "at least one operand", args.size()));
    if (divides && args[1].range().lo < 0) reader_.fail_at(place, "the divisor may be negative: " + to_string(args[1]));
    return reader_.at_place(place, [&] { return apply(function, args); });
  }

  static IndexExpr apply(const std::string& function, const std::vector<IndexExpr>& args) {
    if (function == "floordiv") return ir::floordiv(args[0], args[1]);
    if (function == "mod") return ir::mod(args[0], args[1]);
    IndexExpr result = args[0];
    for (size_t i = 1; i < args.size(); i++)
      result = function == "min" ? ir::min(result, args[i]) : ir::max(result, args[i]);
    return result;
  }
};

}  // namespace

IndexExpr read_index(Reader& reader, const FindVariable& find) { return IndexReader(reader, find).sum(); }

std::vector<IndexExpr> read_indices(Reader& reader, const FindVariable& find) {
  std::vector<IndexExpr> indices;
  reader.list("[", "]", [&] { indices.push_back(read_index(reader, find)); });
  return indices;
}

void SymbolTable::read_symbol(Reader& reader) {
  const Place place = reader.peek().place;
  ir::IndexNode node{};
  node.op = ir::IndexOp::variable;
  node.kind = ir::VarKind::symbol;
  node.range = {0, ir::kUnbounded};
  node.name = reader.any_name("the name of a symbol");
  if (!names_.insert(node.name).second)
    reader.fail_at(place,
                   fmt::format("the symbol {} is declared twice, or after its first use", ir::quoted(node.name)));
  if (reader.accept_word("in")) {
    node.range.lo = reader.integer("the least value", 0, ir::kUnbounded);
    reader.expect_sign("..");
    if (reader.at(TokenKind::number))
      node.range.hi = reader.integer("the greatest value", node.range.lo, ir::kUnbounded);
  }
  node.fresh = reader.accept_word("fresh");
  arena_.add_variable(node);
}

void SymbolTable::read_assumption(Reader& reader) {
  const FindVariable find = finder();
  const IndexExpr least = read_index(reader, find);
  reader.expect_sign("<=");
  assumptions_.push_back({least, read_index(reader, find)});
}

FindVariable SymbolTable::finder() {
  return [this](const std::string& name, Place place) {
    if (closed_ && !names_.count(name))
      closed_->fail_at(place, fmt::format("there is no symbol and no loop {}", ir::quoted(name)));
    names_.insert(name);
    return arena_.symbol(name);
  };
}

void SymbolTable::assume_all() {
  for (const ir::IndexBound& bound : assumptions_) arena_.assume(bound);
}

}  // namespace cppgen::text
