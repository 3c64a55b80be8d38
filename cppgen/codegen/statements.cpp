#include "cppgen/codegen/statements.h"

#include <type_traits>

#include "runtime/base/errors.h"

namespace cppgen::codegen {
namespace {

constexpr size_t kMostColumns = 120;

constexpr std::string_view kContinue = "continue;";

// The text of the body if it is one line; else empty.
std::string_view only_line(const Statements& body) {
  if (body.size() != 1) return {};
  if (std::holds_alternative<Continue>(body[0].form)) return kContinue;
  const Plain* line = std::get_if<Plain>(&body[0].form);
  return line && line->code.text().find('\n') == std::string::npos ? line->code.text() : std::string_view();
}

// ", NAME" for the parameters of a function.
std::string names_of(std::string_view parameters) {
  std::string names;
  while (!parameters.empty()) {
    const std::string_view parameter = parameters.substr(0, parameters.find(','));
    names.append(", ").append(parameter.substr(parameter.rfind(' ') + 1));
    parameters.remove_prefix(std::min(parameter.size() + 1, parameters.size()));
  }
  return names;
}

struct Writer {
  TextWriter& out;
  std::string copied{};  // captures of a function that is returned: what is declared in the one around it

  void operator()(const Plain& s) { out.text_line(s.code.text()); }
  void operator()(const Comment& s) { out.text_line("// " + s.text); }
  void operator()(const Continue&) { out.text_line(kContinue); }

  void operator()(const Declaration& s) {
    std::string text = s.type + " " + s.name.text();
    if (!s.elements.empty()) text += "[" + s.elements.text() + "]";
    if (!s.value.empty()) text += " = " + s.value.text();
    out.text_line(text + ";");
  }

  void operator()(const For& s) {
    const std::string v = s.variable.text(), step = s.step.text();
    if (s.unroll > 0) out.text_line(fmt::format("_Pragma(\"GCC unroll {}\")", s.unroll));
    block(fmt::format("for ({}; {} {} {}; {})", s.begin.empty() ? "" : s.type + " " + v + " = " + s.begin.text(),
                      s.whole_steps ? v + " + " + step : v, s.whole_steps ? "<=" : "<", s.end,
                      s.step.is_number(1) ? v + "++" : v + " += " + step),
          s.body);
  }

  void operator()(const Lambda& s) {
    const bool is_returned = s.name.empty();
    out.open_text(fmt::format("{} [&{}]({}) {}", is_returned ? "return" : "const auto " + s.name.text() + " =",
                              is_returned ? copied : "", s.parameters,
                              s.called ? "CPPGEN_CALLED_LAMBDA" : "CPPGEN_LAMBDA"));
    Writer inside{out, names_of(s.parameters)};
    for (const Statement& statement : s.body) {
      std::visit(inside, statement.form);
      if (const auto* d = std::get_if<Declaration>(&statement.form)) inside.copied += ", " + d->name.text();
    }
    out.close("};");
  }

  void operator()(const If& s) {
    const std::string head = fmt::format("if ({})", s.condition);
    if (s.otherwise.empty()) return block(head, s.body);
    out.open_text(head);
    write(s.body, out);
    alternative(s.otherwise);
  }

  void operator()(const Scope& s) {
    out.open_text("");
    write(s.body, out);
    out.close();
  }

 private:
  // One line, if the body is one short statement.
  void block(const std::string& head, const Statements& body) {
    const std::string_view line = only_line(body);
    if (!line.empty() && 2 * size_t(out.level()) + head.size() + 1 + line.size() <= kMostColumns)
      return out.text_line(fmt::format("{} {}", head, line));
    out.open_text(head);
    write(body, out);
    out.close();
  }

  void alternative(const Statements& statements) {
    const If* next = statements.size() == 1 ? std::get_if<If>(&statements[0].form) : nullptr;
    out.dedent();
    out.open_text(next ? fmt::format("}} else if ({})", next->condition) : "} else");
    write(next ? next->body : statements, out);
    if (next && !next->otherwise.empty()) return alternative(next->otherwise);
    out.close();
  }
};

}  // namespace

void write(const Statements& statements, TextWriter& out) {
  for (const Statement& s : statements) std::visit(Writer{out}, s.form);
}

Statements& StatementList::body_of(Open& open) {
  return std::visit(
      [&](auto& form) -> Statements& {
        using Form = std::decay_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, If>) {
          return open.otherwise ? form.otherwise : form.body;
        } else if constexpr (requires { form.body; }) {
          return form.body;
        } else {
          internal_error("statements: this one has no body");
        }
      },
      open.statement.form);
}

void StatementList::otherwise() {
  check(!open_.empty() && std::holds_alternative<If>(open_.back().statement.form) && !open_.back().otherwise,
        "statements: otherwise without a condition");
  open_.back().otherwise = true;
}

void StatementList::close() {
  check(!open_.empty(), "statements: close without open");
  Statement closed = std::move(open_.back().statement);
  open_.pop_back();
  add(std::move(closed));
}

void StatementList::each(For loop, Code statement) {
  loop.body.push_back(plain(std::move(statement)));
  add({std::move(loop)});
}

void StatementList::when(Code condition, Code statement) {
  add({If{std::move(condition), {plain(std::move(statement))}, {}}});
}

void StatementList::continue_if(Code condition) { add({If{std::move(condition), {{Continue{}}}, {}}}); }

void StatementList::add(Statement statement) {
  (open_.empty() ? statements_ : body_of(open_.back())).push_back(std::move(statement));
}

void StatementList::add(const Statements& statements) {
  for (const Statement& s : statements) add(s);
}

Statements StatementList::take() {
  check(open_.empty(), "statements: one is still open");
  return std::move(statements_);
}

}  // namespace cppgen::codegen
