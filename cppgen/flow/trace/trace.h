#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/trace/trace_record.h"
#include "runtime/base/log_copy.h"
#include "runtime/plan/plan.h"
#include "runtime/values/value.h"

namespace cppgen {

// The folder of the traces of a model: TRACE_DIR/MODEL.
std::string trace_folder(const Settings&, const std::string& model);

// Creates it; UserError if that fails.
std::string make_trace_folder(const CompileRequest&);

// Called with the printed graph or program after each stage: the import, the lowering, and each pass.
using StageListener = std::function<void(const std::string& stage, const std::string& text)>;

std::string compiler_text(const Settings&);  // what distinguishes the compiler of kernels from others

// The files that TRACE writes about one compilation, in the folder TRACE_DIR/<model>. A file that cannot be written
// causes a warning.
class Trace {
 public:
  // Creates the folder if the setting is on; UserError if that fails. If the setting is off, nothing is written.
  explicit Trace(const CompileRequest&, StageListener listener = {});

  bool on() const { return !folder_.empty(); }
  bool wants_stages() const { return on() || listener_; }
  void write(const std::string& name, const std::string& text);  // an empty text has no file
  // Adds something that is the same whenever the compilation is repeated.
  void write_result(const std::string& name, const std::string& text);

  // The graph or program after `stage`: "07_fold_constants.txt", numbered in the order of the calls. Also calls the
  // listener.
  void stage(const std::string& stage, const std::string& text);

  // Returns where the compilers of kernels log their commands and output; "" if the setting is off.
  std::string compiler_logs() const;

  // Adds messages that were logged, with the error of a compilation that failed, and what is needed to repeat the
  // compilation: the model with its external data, settings and surroundings. Packs everything into
  // TRACE_DIR/MODEL.tar.
  void pack(const CompileRequest&, const ImportRecord&, const std::string& isa, const std::string& error = "");

 private:
  void add(const std::string& name, const std::string& source);
  bool add_model(const CompileRequest&, const ImportRecord&);
  void add_logs(const CompileRequest&, const std::string& error);

  std::string folder_;
  StageListener listener_;
  int stages_ = 0;
  std::vector<std::string> files_;
  std::map<std::string, std::string> results_;  // their SHA-256
  std::optional<LogCopy> messages_;
};

// Adds a run to the trace of a model, which must be complete: the inputs before it, so that they are in the folder even
// if the process ends, and then the outputs or the error, with which the trace is packed again. Causes a warning if the
// values are too large.
class RunTrace {
 public:
  RunTrace(std::string folder, const rt::Plan&, std::span<const rt::Value> inputs);
  void add_outputs(std::span<const rt::Value>) const;
  void add_error(const std::string&) const;

 private:
  std::string folder_;
  const rt::Plan& plan_;
  std::span<const rt::Value> inputs_;
  bool ok_ = false;  // the inputs are there

  void write_values(std::span<const rt::Value> outputs) const;
  bool update(const std::function<void(TraceRecord&)>&) const;
};

}  // namespace cppgen
