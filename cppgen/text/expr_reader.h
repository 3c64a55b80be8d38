#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cppgen/ir/program/program.h"
#include "cppgen/text/index_reader.h"

namespace cppgen::text {

// Reads values of loop nests, as ExprPrinter prints them exactly. Names: buffers of the program (b0), variables of the
// nest, results of its reductions (acc0), and values that have a line of their own (t0). The arenas simplify what is
// read.
class ExprReader {
 public:
  ExprReader(Reader& reader, ir::Program& program, FindVariable symbol)
      : reader_(reader), program_(program), symbol_(std::move(symbol)) {}

  void begin_nest();
  // Values that have lines of their own, and results of reductions, are those that follow; `results` are the types of
  // results that are known already.
  void begin_values(std::vector<DType> results = {});
  ir::Loop loop();     // `i0 < N`: a variable of the nest
  void named_value();  // `t0 = value`
  bool at_named_value() const;
  void add_accumulator(DType type) { accumulators_.push_back(type); }

  ir::Expr value();
  ir::IndexExpr index();
  std::vector<ir::IndexExpr> indices();
  ir::BufferId buffer();  // `b3`, a buffer of the program
  bool at_buffer() const;
  // `let at0 < N for "a purpose" = value, ... in `, or nothing. What follows may use the variables, until forget().
  std::vector<ir::Indirect> bindings();
  void forget(const std::vector<ir::Indirect>&);

  // Variables in scope, by name. Loops in a copy of the scope may be those outside it.
  using Scope = std::map<std::string, ir::IndexExpr>;
  Scope enter();
  void leave(Scope outer);

 private:
  Reader& reader_;
  ir::Program& program_;
  FindVariable symbol_;
  Scope scope_;                                                  // variables of the nest, or of the part of a kernel
  std::set<std::string> defined_;                                // in this scope, not outside it
  std::map<std::string, std::vector<ir::IndexExpr>> variables_;  // of all nests, which may share them
  std::map<std::string, ir::Expr> values_;
  std::vector<DType> accumulators_;
  int depth_ = 0;

  FindVariable finder() const;
  ir::IndexExpr variable(ir::VarKind, const std::string& name, ir::IndexExpr extent, const std::string& purpose, Place);
  ir::Expr number();
  ir::Expr literal(DType);
  ir::Expr typed(DType, Place);
  ir::Expr load();
  ir::Expr call(const std::string& name, Place);
  ir::Expr name();
  std::vector<ir::Guard> guards();
};

}  // namespace cppgen::text
