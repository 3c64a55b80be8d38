#pragma once
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cppgen/codegen/code.h"
#include "cppgen/support/text_writer.h"

namespace cppgen::codegen {

// An emitted kernel is a tree of these statements.
struct Statement;
using Statements = std::vector<Statement>;

// Text with its semicolon: an assignment, a call. It declares nothing.
struct Plain {
  Code code;
};

// // TEXT
// It describes the statements after it, and is removed with them.
struct Comment {
  std::string text;
};

// continue;
struct Continue {};

// TYPE NAME[ELEMENTS] = VALUE;
struct Declaration {
  std::string type{};
  Code name{};
  Code elements{}, value{};  // empty: no array; not initialised
  bool kept = true;          // even if nothing uses the name
};

// Statements that contain others are templates over Statement, because Statement is not complete before they are.

// for (TYPE VARIABLE = BEGIN; VARIABLE < END; VARIABLE += STEP)
template <class S>
struct ForOf {
  std::string type = "vec::i64";
  Code variable{};
  Code begin = 0, end{}, step = 1;  // begin empty: the variable is declared before
  bool whole_steps = false;         // until the next step would go past the end
  int64_t unroll = 0;               // how often the compiler repeats the body; 0: as it prefers
  std::vector<S> body{};
};

// const auto NAME = [&](PARAMETERS) { ... }; without a name it is returned by the function around it, and copies what
// that declares. It refers to the rest: g++ does store copies of vectors in memory, even where nothing reads them.
template <class S>
struct LambdaOf {
  Code name{};
  std::string parameters{};
  bool called = false;  // not inlined
  std::vector<S> body{};
};

template <class S>
struct IfOf {
  Code condition{};
  std::vector<S> body{}, otherwise{};
};

template <class S>
struct ScopeOf {
  std::vector<S> body{};
};

using For = ForOf<Statement>;
using Lambda = LambdaOf<Statement>;
using If = IfOf<Statement>;
using Scope = ScopeOf<Statement>;

struct Statement {
  std::variant<Plain, Comment, Continue, Declaration, For, Lambda, If, Scope> form;
};

inline Statement plain(Code code) { return {Plain{std::move(code)}}; }
// A constant, which is removed if it is unused. Only names made by Code::name have their uses counted; other constants
// are kept.
inline Statement let(std::string type, const Code& name, Code value) {
  return {Declaration{std::move(type), name, {}, std::move(value), name.uses().empty()}};
}

// Removes what has no effect: known conditions, loops without iterations or with a single one, loops without a body,
// unused constants and functions, comments on nothing, and unnecessary braces. `used` are the names that are used after
// the statements; the names that the remaining statements use are added to it. Without `drop_loops`, loops with at most
// one iteration are kept.
void simplify(Statements&, std::set<std::string>& used, bool drop_loops = true);

void write(const Statements&, TextWriter&);

// Collects statements. A loop, a function, a condition or a scope that is opened holds what follows until the matching
// close().
class StatementList {
 public:
  void text(Code code) { add(plain(std::move(code))); }
  // A line of text without sizes, because kernels that differ only in sizes have the same function.
  void comment(std::string text) { add({Comment{std::move(text)}}); }
  template <class... Args>
  void line(fmt::format_string<const Args&...> format, const Args&... args) {
    add(plain(code(format, args...)));
  }
  // const vec::i64 NAME = VALUE;
  template <class... Args>
  void let(const Code& name, fmt::format_string<const Args&...> format, const Args&... args) {
    add(codegen::let("const vec::i64", name, code(format, args...)));
  }
  template <class... Args>
  void constant(std::string type, const Code& name, fmt::format_string<const Args&...> format, const Args&... args) {
    add(codegen::let(std::move(type), name, code(format, args...)));
  }
  void variable(std::string type, const Code& name, Code value = {}) {
    add({Declaration{std::move(type), name, {}, std::move(value), true}});
  }
  void array(std::string type, const Code& name, Code elements, Code value = {}) {
    add({Declaration{std::move(type), name, std::move(elements), std::move(value), name.uses().empty()}});
  }

  void open(For loop) { open_.push_back({{std::move(loop)}}); }
  void open(Lambda function) { open_.push_back({{std::move(function)}}); }
  void open_if(Code condition) { open_.push_back({{If{std::move(condition), {}, {}}}}); }
  void open_scope() { open_.push_back({{Scope{}}}); }
  // The statements from here to close() are executed if the open condition does not hold.
  void otherwise();
  void close();

  // A loop or a condition with one statement.
  void each(For loop, Code statement);
  void when(Code condition, Code statement);
  void continue_if(Code condition);

  // Calls a function for the points `at` to `end`, a vector at a time: `call` is its call for a position and lanes. The
  // points that do not fill a vector are a masked one, or are computed one at a time. The variable `at` is declared
  // before. If `size` is given, there are no such points where it is a multiple of vec::L.
  template <class Call>
  void call_by_vectors(const Code& end, Call call, bool masked_tail = true, const Code& size = {}) {
    each({.variable = "at", .begin = {}, .end = end, .step = "vec::L", .whole_steps = true},
         call("at", "vec::All{}") + ";");
    if (masked_tail)
      when(code("{}at < {}", size.empty() ? Code() : code("{} % vec::L != 0 && ", operand(size)), end),
           call("at", code("vec::tail({} - at)", end)) + ";");
    else
      each({.variable = "at", .begin = {}, .end = end}, call("at", "vec::Tail{1}") + ";");
  }

  void add(Statement);
  void add(const Statements&);

  // All statements. InternalError if one is still open.
  Statements take();

 private:
  struct Open {
    Statement statement;
    bool otherwise = false;
  };
  Statements statements_;
  std::vector<Open> open_;  // the innermost last

  static Statements& body_of(Open&);
};

}  // namespace cppgen::codegen
