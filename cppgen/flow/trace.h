#pragma once
#include <string>

#include "cppgen/flow/compiler.h"

namespace cppgen {

// The files that TRACE writes about one compilation, in the folder TRACE_DIR/<model>. A file that cannot be written
// causes a warning.
class Trace {
 public:
  // Creates the folder if the setting is on; UserError if that fails. If the setting is off, nothing is written.
  explicit Trace(const CompileRequest&);

  bool on() const { return !folder_.empty(); }
  void write(const std::string& name, const std::string& text) const;

  // The graph or program after `stage`: "07_fold_constants.txt", numbered in the order of the calls.
  void stage(const std::string& stage, const std::string& text);

 private:
  std::string folder_;
  int stages_ = 0;
};

}  // namespace cppgen
