// A recursive descent over the tokens, one function for each level of precedence.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cppgen/custom/term.h"
#include "cppgen/custom/tokens.h"
#include "cppgen/ir/values/op_table.h"

namespace cppgen::custom {
namespace {

constexpr int kMostNesting = 100, kMostInRow = 500;

class Parser {
 public:
  explicit Parser(const rt::CustomText& source) : source_(source), tokens_(tokens_of(source)) {}

  std::vector<Statement> statements() {
    std::vector<Statement> all;
    while (peek().kind != Token::end) {
      all.push_back(statement());
      if (peek().kind != Token::end) expect(";");
    }
    if (all.empty()) fail_at(source_, 0, "there is no statement");
    return all;
  }

  Term whole() {
    Term term = is_group(at_) ? group() : expression();
    if (peek().kind != Token::end) fail(fmt::format("expected the end, not '{}'", peek().text));
    return term;
  }

 private:
  const rt::CustomText& source_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view sign, size_t ahead = 0) const {
    return peek(ahead).kind == Token::sign && peek(ahead).text == sign;
  }
  bool is_word(std::string_view word) const { return peek().kind == Token::name && peek().text == word; }
  bool is_group(size_t at) const { return tokens_[at].kind == Token::name && is("...", at - at_ + 1); }
  bool take(std::string_view sign) { return is(sign) && ++at_; }
  [[noreturn]] void fail(const std::string& what) const { fail_at(source_, peek().position, what); }
  void expect(std::string_view sign) {
    if (!take(sign)) fail(fmt::format("expected '{}', not '{}'", sign, peek().text));
  }
  std::string name() {
    if (peek().kind != Token::name) fail(fmt::format("expected a name, not '{}'", peek().text));
    return tokens_[at_++].text;
  }
  Term make(TermKind kind, std::string name = "", std::vector<Term> args = {}) const {
    Term term{.kind = kind, .name = std::move(name), .args = std::move(args)};
    term.source = &source_, term.position = peek().position;
    return term;
  }

  // Takes the sign.
  Term operation(TermKind kind, Operation which) {
    Term term = make(kind, peek().text);
    term.operation = which;
    at_++;
    return term;
  }

  Statement statement() {
    Statement s;
    s.source = &source_, s.position = peek().position;
    s.target = name();
    if (take("[")) s.axes = axes("]");
    expect("=");
    s.value = expression();
    return s;
  }

  std::vector<Axis> axes(std::string_view close) {
    std::vector<Axis> all;
    do {
      Axis axis;
      axis.position = peek().position;
      axis.name = name();
      axis.group = take("...");
      if (take(":")) axis.extent.push_back(is_group(at_) ? group() : expression());
      all.push_back(std::move(axis));
    } while (take(","));
    expect(close);
    return all;
  }

  Term group() {
    Term term = make(TermKind::group);
    term.name = name();
    expect("...");
    return term;
  }

  // Binary operations of one level, from the left.
  template <class Operand>
  Term level(std::initializer_list<std::string_view> signs, bool words, const Operand& operand) {
    Term left = operand();
    for (int count = 0;; count++) {
      const auto found = std::find_if(signs.begin(), signs.end(), [&](auto s) { return words ? is_word(s) : is(s); });
      if (found == signs.end()) return left;
      if (count == kMostInRow) fail(fmt::format("more than {} operations in a row", kMostInRow));
      Term both = operation(TermKind::binary, binary_signed(*found));
      both.args.push_back(std::move(left));
      both.args.push_back(operand());
      left = std::move(both);
    }
  }

  Term expression() {
    if (++depth_ > kMostNesting) fail(fmt::format("nested more than {} levels deep", kMostNesting));
    Term term = level({"or"}, true, [&] { return level({"and"}, true, [&] { return negation(); }); });
    depth_--;
    return term;
  }

  Term negation() {
    if (!is_word("not")) return comparison();
    Term term = operation(TermKind::unary, unary_signed("not"));
    if (++depth_ > kMostNesting) fail(fmt::format("nested more than {} levels deep", kMostNesting));
    term.args.push_back(negation());
    depth_--;
    return term;
  }

  Term comparison() {
    Term left = sum();
    for (std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (!is(sign)) continue;
      Term both = operation(TermKind::binary, binary_signed(sign));
      both.args.push_back(std::move(left));
      both.args.push_back(sum());
      return both;
    }
    return left;
  }

  Term sum() {
    return level({"+", "-"}, false, [&] { return product(); });
  }
  Term product() {
    return level({"*", "/", "//", "%"}, false, [&] { return signed_operand(); });
  }

  Term signed_operand() {
    if (!is("-")) return operand();
    Term term = operation(TermKind::unary, unary_signed("-"));
    if (++depth_ > kMostNesting) fail(fmt::format("nested more than {} levels deep", kMostNesting));
    term.args.push_back(signed_operand());
    depth_--;
    return term;
  }

  Term operand() {
    if (take("(")) {
      Term term = expression();
      expect(")");
      return term;
    }
    if (peek().kind == Token::number) return number();
    if (peek().kind == Token::quoted) {
      Term term = make(TermKind::text, peek().text);
      at_++;
      return term;
    }
    if (peek().kind != Token::name) fail(fmt::format("expected a value, not '{}'", peek().text));
    if (is("(", 1)) return is_reduction() ? reduction() : call();
    Term term = make(TermKind::name, peek().text);
    at_++;
    if (is("[")) return load(std::move(term));
    if (is(".")) return dimension(std::move(term));
    return term;
  }

  Term number() {
    Term term = make(TermKind::number, peek().text);
    const std::string& text = peek().text;
    const char* end = text.data() + text.size();
    term.whole = std::from_chars(text.data(), end, term.integer).ptr == end;
    if (term.whole) {
      term.number = double(term.integer);
    } else if (std::from_chars(text.data(), end, term.number).ec != std::errc()) {
      fail(fmt::format("{} is not a 64-bit number", text));
    }
    at_++;
    return term;
  }

  // min and max are functions of two values, too: a reduction says an extent.
  bool is_reduction() const {
    if (!ir::combining_reduction(peek().text)) return false;
    return peek(2).kind == Token::name && (is(":", 3) || (is("...", 3) && is(":", 4)));
  }

  // Takes in the product that follows: sum(k : K) a[k] * b[k] + c is (sum of a[k] * b[k]) + c.
  Term reduction() {
    Term term = make(TermKind::reduction);
    term.name = name();
    term.operation = ir::combining_reduction(term.name)->op;
    expect("(");
    term.axes = axes(")");
    if (++depth_ > kMostNesting) fail(fmt::format("nested more than {} levels deep", kMostNesting));
    term.args.push_back(product());
    depth_--;
    return term;
  }

  Term call() {
    Term term = make(TermKind::call);
    term.name = name();
    term.operation = function_named(term.name);
    expect("(");
    if (take(")")) return term;
    do term.args.push_back(expression());
    while (take(","));
    expect(")");
    return term;
  }

  Term load(Term term) {
    term.kind = TermKind::load;
    expect("[");
    do term.args.push_back(is_group(at_) ? group() : expression());
    while (take(","));
    expect("]");
    return term;
  }

  Term dimension(Term term) {
    term.kind = TermKind::dim;
    expect(".");
    const bool from_end = take("-");
    const Term axis = peek().kind == Token::number ? number() : Term{.kind = TermKind::number, .name = ""};
    if (!axis.whole) fail(fmt::format("expected the number of a dimension of '{}'", term.name));
    term.integer = from_end ? -axis.integer : axis.integer;
    return term;
  }
};

}  // namespace

std::vector<Statement> parse_statements(const rt::CustomText& source) { return Parser(source).statements(); }
Term parse_dimension(const rt::CustomText& source) { return Parser(source).whole(); }

}  // namespace cppgen::custom
