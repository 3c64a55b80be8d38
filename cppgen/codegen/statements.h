#pragma once
#include <string>
#include <vector>

#include "cppgen/codegen/code.h"
#include "cppgen/support/text_writer.h"

namespace cppgen::codegen {

// A statement of an emitted kernel, or a block of them behind a head: a loop, a condition, a lambda.
struct Statement {
  enum class Kind : uint8_t {
    plain,  // `code`
    let,    // `code`, which declares `name` once, without further effects: dropped where nobody uses it
    block   // `code` { body } `tail`; without code a scope
  };
  Kind kind = Kind::plain;
  Code code;
  std::string name{}, tail{};
  std::vector<Statement> body{};
};
using Statements = std::vector<Statement>;

inline Statement let(const Code& name, Code code) { return {Statement::Kind::let, std::move(code), name.text()}; }
inline Statement plain(Code code) { return {Statement::Kind::plain, std::move(code)}; }

// Removes declarations that nothing behind them uses; `used` are the names used behind all of them, to which those of
// what is left are added.
void drop_unused(Statements&, std::set<std::string>& used);

void write(const Statements&, TextWriter&);

// Collects statements. What open() begins holds what follows until the matching close().
class StatementList {
 public:
  void text(Code code) { add(plain(std::move(code))); }
  template <class... Args>
  void line(fmt::format_string<const Args&...> format, const Args&... args) {
    add(plain(code(format, args...)));
  }
  // `const TYPE name = VALUE;` or any other declaration of one name without effects.
  template <class... Args>
  void declare(const Code& name, fmt::format_string<const Args&...> format, const Args&... args) {
    add(let(name, code(format, args...)));
  }
  template <class... Args>
  void open(fmt::format_string<const Args&...> format, const Args&... args) {
    open_block(code(format, args...));
  }
  void open_block(Code head);
  void close(std::string tail = "}");
  void add(Statement);
  void add(const Statements&);

  // All statements; InternalError when a block is still open.
  Statements take();

 private:
  Statements statements_;
  std::vector<Statement> open_;  // blocks, the innermost last
};

}  // namespace cppgen::codegen
