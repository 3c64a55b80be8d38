#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::emit {

std::string integer_text(int64_t value);  // as a literal of C++
bool depends_on_symbols(const rt::DimExpr&);

// A formula in C++ with a `math` (linked::SizeMath), where `symbols` is an array of the first `count` symbols, and `t`
// the iteration of a repetition, which the others are.
std::string formula_text(const rt::DimExpr&, const std::string& symbols, size_t count);

// A size in emitted code: a literal; a value that is computed once for the sizes of a run; or a formula that also
// depends on the iteration of a repetition.
struct SizeText {
  enum class Kind { known, bound, varying } kind = Kind::known;
  std::string text;
  int64_t value = 0;  // if it is known
};

// The sizes of a plan in emitted functions of a model `m`, whose array m.v holds values for the symbols m.s.
class SizeTable {
 public:
  explicit SizeTable(const rt::Plan& plan) : plan_(plan) {}

  SizeText use(const rt::DimExpr&);
  SizeText use_size(const rt::DimExpr&);  // must not be negative
  // A value that is computed once.
  std::string bind(const std::string& formula);

  size_t count() const { return formulas_.size(); }
  std::string statements() const;  // "  m.v[0] = math.mul(m.s[0], 4);\n" ...

 private:
  bool varies(const rt::DimExpr&) const;

  const rt::Plan& plan_;
  std::vector<std::string> formulas_;
  std::map<std::string, size_t> known_;
};

}  // namespace cppgen::emit
