#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cppgen {

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0] is a path (no search in PATH); never passes through a shell
  std::string working_directory;  // empty: the caller's
  // Changes to the caller's environment: a name with its new value, or without a value to unset it.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  double timeout_seconds = 0;  // 0: none
  size_t max_output_bytes = 1 << 20;
};

struct ProcessResult {
  enum class End { exited, signaled, timed_out };
  End end = End::exited;
  int code = 0;            // exit status, or the signal
  std::string output;      // the first max_output_bytes of stdout and stderr together
  bool truncated = false;  // there was more output
  double seconds = 0;      // wall-clock time from start to end

  bool ok() const { return end == End::exited && code == 0; }
  // "exited with status 1", "was killed by signal 9 (Killed)", "was stopped after 3600 s"
  std::string describe() const;
};

// Starts processes and reports when they end. The interface lets tests substitute their own programs.
class ProcessRunner {
 public:
  struct Completion {
    int id;
    ProcessResult result;
  };

  virtual ~ProcessRunner() = default;
  // Returns an id for wait_any. UserError if the program cannot be started.
  virtual int start(const ProcessSpec&) = 0;
  // The next process that ended; nullopt after `seconds` (or earlier, if a signal arrived), or at once if none is
  // running.
  virtual std::optional<Completion> wait_any(double seconds) = 0;
  // Kills every running process, with all descendants in its group, and forgets it.
  virtual void kill_all() = 0;
  // The number of processes started so far: lets a caller prove that it started none.
  virtual int64_t started() const = 0;

  // Starts one process and waits for it. No other process of this runner may be running.
  ProcessResult run(const ProcessSpec&);
};

// Real processes (posix_spawn): each leads its own process group, reads /dev/null, inherits no descriptor other than
// its lifeline and no blocked or ignored signals. The whole group is killed after its deadline, and when this process
// dies for any reason (lifeline.h). A process counts as ended when its leader ends, even if a descendant keeps the
// output open. The destructor kills running processes. It is not thread safe.
class PosixProcessRunner : public ProcessRunner {
 public:
  PosixProcessRunner();
  ~PosixProcessRunner() override;
  int start(const ProcessSpec&) override;
  std::optional<Completion> wait_any(double seconds) override;
  void kill_all() override;
  int64_t started() const override { return started_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Child;
  std::optional<Completion> collect();
  bool poll_children(double seconds);

  std::vector<std::unique_ptr<Child>> children_;
  int next_id_ = 0;
  int64_t started_ = 0;
};

}  // namespace cppgen
