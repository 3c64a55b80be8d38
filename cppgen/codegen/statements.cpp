#include "cppgen/codegen/statements.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::codegen {

// From the last to the first: a declaration stands in front of all that uses it.
void drop_unused(Statements& statements, std::set<std::string>& used) {
  for (size_t i = statements.size(); i-- > 0;) {
    Statement& s = statements[i];
    if (s.kind == Statement::Kind::let && used.count(s.name) == 0) {
      statements.erase(statements.begin() + long(i));
      continue;
    }
    drop_unused(s.body, used);
    used.insert(s.code.uses().begin(), s.code.uses().end());
  }
}

void write(const Statements& statements, TextWriter& out) {
  for (const Statement& s : statements) {
    if (s.kind != Statement::Kind::block) {
      out.text_line(s.code.text());
      continue;
    }
    out.open_text(s.code.text());
    write(s.body, out);
    out.close(s.tail);
  }
}

void StatementList::open_block(Code head) { open_.push_back({Statement::Kind::block, std::move(head)}); }

void StatementList::close(std::string tail) {
  check(!open_.empty(), "statements: close without open");
  Statement block = std::move(open_.back());
  open_.pop_back();
  block.tail = std::move(tail);
  add(std::move(block));
}

void StatementList::add(Statement statement) {
  (open_.empty() ? statements_ : open_.back().body).push_back(std::move(statement));
}

void StatementList::add(const Statements& statements) {
  for (const Statement& s : statements) add(s);
}

Statements StatementList::take() {
  check(open_.empty(), "statements: a block is still open");
  return std::move(statements_);
}

}  // namespace cppgen::codegen
