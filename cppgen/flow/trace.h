#pragma once
#include <functional>
#include <string>

#include "cppgen/flow/compiler.h"

namespace cppgen {

// Creates the model's folder of TRACE_DIR; UserError if that fails.
std::string make_trace_folder(const CompileRequest&);

// Called with the printed graph or program after each stage: the import, the lowering, and each pass.
using StageListener = std::function<void(const std::string& stage, const std::string& text)>;

// The files that TRACE writes about one compilation, in the folder TRACE_DIR/<model>. A file that cannot be written
// causes a warning.
class Trace {
 public:
  // Creates the folder if the setting is on; UserError if that fails. If the setting is off, nothing is written.
  explicit Trace(const CompileRequest&, StageListener listener = {});

  bool on() const { return !folder_.empty(); }
  bool wants_stages() const { return on() || listener_; }
  void write(const std::string& name, const std::string& text) const;

  // The graph or program after `stage`: "07_fold_constants.txt", numbered in the order of the calls. Also calls the
  // listener.
  void stage(const std::string& stage, const std::string& text);

 private:
  std::string folder_;
  StageListener listener_;
  int stages_ = 0;
};

}  // namespace cppgen
