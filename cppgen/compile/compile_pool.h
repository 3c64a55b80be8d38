#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/compile_error.h"
#include "cppgen/compile/compile_job.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/support/subprocess.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen {

// Compiler processes, several at once; each turns one source text into one shared object. Behind launchers, which pass
// commands that link through to the compiler, these are two processes, one after the other: the launched compiler makes
// an object file, and the compiler alone links it. Sources, objects and the compiler's own temporary files live in one
// private directory, which is removed with the pool and with the last object that points into it. It is not thread
// safe: processes, not threads, do the work.
class CompilePool {
 public:
  struct Limits {
    int processes = 1;
    double timeout_seconds = 0;  // of one unit
    std::vector<std::string> log_dirs;
  };
  // The name of every source, in a folder of its own.
  static constexpr const char* kSource = "kernel.cpp";
  // Also removes files that killed processes left in the system's temporary directory.
  CompilePool(ProcessRunner& runner, Toolchain toolchain, Limits limits);
  ~CompilePool();

  bool full() const { return static_cast<int>(running_.size()) >= limits_.processes; }
  bool idle() const { return running_.empty(); }

  // Starts the compiler of a unit. `flags` as from kernel_flags; `log_name` names the log file (letters, digits, - and
  // _). `id` is returned in Finished. UserError if a process or file cannot be created.
  void start(size_t id, const CompileJob& job, const std::vector<std::string>& flags, const std::string& include_dir,
             const std::string& log_name);

  struct Finished {
    size_t id = 0;
    double seconds = 0;
    // After success, these are a checked shared object.
    std::string image;                       // its bytes
    std::string path;                        // its path
    std::shared_ptr<const void> keep_alive;  // valid while this exists
    // After a failure, this holds all that an error says but the path where the caller keeps the source.
    std::optional<CompileFailure> error;
    std::string message;               // reason and first lines of output
    std::string output;                // all of the compiler's
    std::vector<std::string> command;  // builds the unit without launchers; one argument is kSource
  };
  // The next unit that ended, or nullopt after `seconds` (or earlier). Failures are returned as values: the caller
  // decides. UserError if the process that links cannot be created.
  std::optional<Finished> wait(double seconds);

  // Kills every running compiler with its descendants.
  void cancel();

 private:
  struct Unit;
  void start_process(Unit unit, std::vector<std::string> argv);
  std::vector<std::string> launched_command(const std::vector<std::string>& flags, const std::string& include_dir,
                                            const std::string& folder) const;
  void diagnose(const Unit& unit, const ProcessResult& result, Finished& finished) const;
  void check_object(const Unit& unit, Finished& finished) const;
  void write_logs(const Unit& unit) const;

  ProcessRunner& runner_;
  Toolchain toolchain_;
  Limits limits_;
  std::shared_ptr<TempDirectory> directory_;
  std::map<int, Unit> running_;  // by process id of the runner
  int next_folder_ = 0;
};

}  // namespace cppgen
