#pragma once
#include <string>
#include <vector>

#include "cppgen/ir/program/program.h"
#include "cppgen/text/expr_reader.h"

namespace cppgen::text {

// Reads programs and their parts, for texts of programs and for those of schedules, which have one.
class ProgramReader {
 public:
  ProgramReader(Reader& reader, ir::Program& program)
      : reader_(reader), program_(program), symbols_(*program.index), values_(reader, program, symbols_.finder()) {}

  void read();  // from the word `program` to the outputs
  void no_more_symbols() { symbols_.close(reader_); }
  // Assumptions hold from the end of the text on.
  void end() { symbols_.assume_all(); }

  ExprReader& values() { return values_; }
  bool at_store() const { return reader_.at_word("let") || values_.at_buffer(); }
  ir::Store store();
  bool at_reduction(size_t number) const;
  ir::Reduction reduction();            // `acc0 = sum float32(value)`; values that follow may use it
  std::vector<ir::BufferId> buffers();  // `b0, b1`, or nothing

 private:
  Reader& reader_;
  ir::Program& program_;
  SymbolTable symbols_;
  ExprReader values_;
  int depth_ = 0;

  void buffer();
  std::vector<std::string> origins();
  std::vector<ir::Statement> statements();
  std::vector<ir::Loop> loops(const char* word);
  ir::LoopNest nest();
  bool line(ir::LoopNest&);
  ir::AxisRole role();
  ir::ReduceOp reduce_op();
  ir::LibraryCall call();
  ir::Repetition repetition();
};

}  // namespace cppgen::text
