#include <algorithm>
#include <iterator>
#include <optional>

#include "cppgen/codegen/statements.h"

namespace cppgen::codegen {
namespace {

// The number of times that the body runs, if that is known.
std::optional<int64_t> rounds(const For& s) {
  if (s.whole_steps || s.begin.empty()) return std::nullopt;
  if (s.end == sum(s.begin, s.step)) return 1;
  const auto begin = s.begin.number(), end = s.end.number(), step = s.step.number();
  if (!begin || !end || !step || *step < 1) return std::nullopt;
  return std::max<int64_t>((*end - *begin + *step - 1) / *step, 0);
}

// Returns whether a statement of a loop's body continues with the next iteration.
bool continues(const Statements& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    if (std::holds_alternative<Continue>(s.form)) return true;
    if (const auto* scope = std::get_if<Scope>(&s.form)) return continues(scope->body);
    const auto* condition = std::get_if<If>(&s.form);
    return condition && (continues(condition->body) || continues(condition->otherwise));
  });
}

// Returns the statements that replace one.
struct Simplifier {
  std::set<std::string>& used;
  bool drop_loops;

  Statements operator()(Plain s) {
    note(s.code);
    return {{std::move(s)}};
  }

  Statements operator()(Comment s) { return {{std::move(s)}}; }
  Statements operator()(Continue s) { return {{s}}; }

  Statements operator()(Declaration s) {
    if (used.erase(s.name.text()) == 0 && !s.kept) return {};
    note(s.elements), note(s.value);
    return {{std::move(s)}};
  }

  Statements operator()(For s) {
    const auto count = drop_loops ? rounds(s) : std::nullopt;
    if (count == 0) return {};
    if (count == 1 && !continues(s.body)) {
      if (!s.variable.number()) s.body.insert(s.body.begin(), let("const " + s.type, s.variable, s.begin));
      return (*this)(Scope{std::move(s.body)});
    }
    simplify(s.body, used, drop_loops);
    if (s.body.empty()) return {};
    note(s.begin), note(s.end), note(s.step);
    return {{std::move(s)}};
  }

  Statements operator()(Lambda s) {
    if (used.erase(s.name.text()) == 0 && !s.name.uses().empty()) return {};
    simplify(s.body, used, drop_loops);
    return {{std::move(s)}};
  }

  Statements operator()(If s) {
    if (const auto known = s.condition.truth()) return (*this)(Scope{std::move(*known ? s.body : s.otherwise)});
    simplify(s.otherwise, used, drop_loops);
    simplify(s.body, used, drop_loops);
    if (s.body.empty() && s.otherwise.empty()) return {};
    note(s.condition);
    return {{std::move(s)}};
  }

  Statements operator()(Scope s) {
    simplify(s.body, used, drop_loops);
    if (s.body.empty()) return {};
    return {{std::move(s)}};
  }

 private:
  void note(const Code& code) { used.insert(code.uses().begin(), code.uses().end()); }
};

const Code* declared_name(const Statement& s) {
  if (const auto* d = std::get_if<Declaration>(&s.form)) return &d->name;
  const auto* function = std::get_if<Lambda>(&s.form);
  return function ? &function->name : nullptr;
}

bool is_comment(const Statement& s) { return std::holds_alternative<Comment>(s.form); }

// Comments are followed by what they describe: by no other comment, and not by the end.
void drop_comments_on_nothing(Statements& statements) {
  for (size_t i = statements.size(); i-- > 0;)
    if (is_comment(statements[i]) && (i + 1 == statements.size() || is_comment(statements[i + 1])))
      statements.erase(statements.begin() + long(i));
}

// Removes the braces of a scope at the end, unless it declares a name again.
void open_last_scope(Statements& statements) {
  if (statements.empty() || !std::holds_alternative<Scope>(statements.back().form)) return;
  std::set<std::string> names;
  for (size_t i = 0; i + 1 < statements.size(); i++) {
    if (std::holds_alternative<Scope>(statements[i].form)) return;
    if (const Code* name = declared_name(statements[i])) names.insert(name->text());
  }
  Statements body = std::move(std::get<Scope>(statements.back().form).body);
  const bool again = std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    const Code* name = declared_name(s);
    return name && names.count(name->text()) != 0;
  });
  if (again) {
    std::get<Scope>(statements.back().form).body = std::move(body);
    return;
  }
  statements.pop_back();
  std::move(body.begin(), body.end(), std::back_inserter(statements));
}

}  // namespace

// Statements are visited from the last to the first, because a declaration comes before all uses of its name.
void simplify(Statements& statements, std::set<std::string>& used, bool drop_loops) {
  std::vector<Statements> parts;
  for (size_t i = statements.size(); i-- > 0;)
    parts.push_back(std::visit(Simplifier{used, drop_loops}, std::move(statements[i].form)));
  statements.clear();
  for (size_t i = parts.size(); i-- > 0;) std::move(parts[i].begin(), parts[i].end(), std::back_inserter(statements));
  drop_comments_on_nothing(statements);
  open_last_scope(statements);
}

}  // namespace cppgen::codegen
