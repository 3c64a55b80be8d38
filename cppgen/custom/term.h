#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cppgen/custom/functions.h"
#include "runtime/custom/description.h"

// The language in which descriptions define what a custom operator computes (docs/custom_operators.md).
namespace cppgen::custom {

enum class TermKind : uint8_t {
  number,     // 2, 0.5: `number`, and whether it is written as an integer
  text,       // "linear"
  name,       // a loop variable, a named dimension, an attribute, or a tensor without dimensions
  group,      // i...: all variables, or dimensions, of a group
  dim,        // x.1, x.-1: a dimension of a tensor
  load,       // x[n, k + 1]: an element of a tensor; pads[0]: one of an attribute that is a list
  call,       // exp(x[i]), where(a, b, c), cast(e, float32)
  unary,      // -, not
  binary,     // + - * / // % < <= > >= == != and or
  reduction,  // sum(k : K) a[n, k]
};

struct Term;

// A loop: n, n : N, i..., i... : x. Its extent, if given, is one term.
struct Axis {
  std::string name;
  bool group = false;
  std::vector<Term> extent;
  size_t position = 0;
};

struct Term {
  TermKind kind;
  std::string name;       // as it is written; of an operation its sign; or the text
  Operation operation{};  // of a call, an operation or a reduction
  std::vector<Term> args{};
  std::vector<Axis> axes{};  // of a reduction
  double number = 0;
  int64_t integer = 0;  // of a number without fraction, or the axis of a dimension
  bool whole = false;
  const rt::CustomText* source = nullptr;  // its source text, which must outlive it
  size_t position = 0;                     // position in the text, from 0

  template <class Op>
  bool is(Op wanted) const {
    return operation == Operation(wanted);
  }
};

// target[axes] = value
struct Statement {
  std::string target;
  std::vector<Axis> axes;
  Term value;
  const rt::CustomText* source = nullptr;
  size_t position = 0;
};

// "swish.json: lowering[0], column 5": with a line where the text has several.
std::string place_of(const rt::CustomText& source, size_t position);

// UserError naming the place in the text.
[[noreturn]] void fail_at(const rt::CustomText& source, size_t position, const std::string& what);

// The statements of a text, separated by ";". UserError naming the place. The text must outlive the result. Nesting and
// length are bounded.
std::vector<Statement> parse_statements(const rt::CustomText&);
// A dimension of a shape: an expression, or a group.
Term parse_dimension(const rt::CustomText&);

}  // namespace cppgen::custom
