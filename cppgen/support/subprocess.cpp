#include "cppgen/support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>

#include "cppgen/support/file_io.h"
#include "cppgen/support/lifeline.h"
#include "cppgen/support/litter.h"
#include "runtime/base/errors.h"

extern char** environ;

namespace cppgen {

struct PosixProcessRunner::Child {
  int id;
  pid_t pid;
  Lifeline lifeline;
  LitterEntry litter;
  FileDescriptor output;      // our end of the pipe; closed at its end
  FileDescriptor pid_handle;  // becomes readable when the process ends; absent on kernels without pidfd_open
  Clock::time_point start;
  std::optional<Clock::time_point> deadline;
  size_t max_output_bytes;
  ProcessResult result;
};

namespace {

std::vector<std::string> child_environment(const ProcessSpec& spec) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const auto same = [&](const auto& change) { return change.first == name; };
    if (std::none_of(spec.environment.begin(), spec.environment.end(), same)) result.emplace_back(text);
  }
  for (const auto& [name, value] : spec.environment) {
    if (value) result.push_back(name + "=" + *value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

struct SpawnFileActions {
  posix_spawn_file_actions_t value;
  SpawnFileActions() { posix_spawn_file_actions_init(&value); }
  ~SpawnFileActions() { posix_spawn_file_actions_destroy(&value); }
};

struct SpawnAttributes {
  posix_spawnattr_t value;
  SpawnAttributes() {
    posix_spawnattr_init(&value);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGCHLD}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&value, &none);
    posix_spawnattr_setsigdefault(&value, &defaults);
    posix_spawnattr_setpgroup(&value, 0);
    posix_spawnattr_setflags(&value, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&value); }
};

// Returns the errno of the failure, or 0 and the process id.
int spawn(const ProcessSpec& spec, int output, int lifeline, pid_t& pid) {
  SpawnFileActions actions;
  posix_spawn_file_actions_addopen(&actions.value, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.value, output, 1);
  posix_spawn_file_actions_adddup2(&actions.value, output, 2);
  posix_spawn_file_actions_adddup2(&actions.value, lifeline, Lifeline::kDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&actions.value, Lifeline::kDescriptor + 1);
  if (!spec.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions.value, spec.working_directory.c_str());
  }
  SpawnAttributes attributes;
  std::vector<std::string> arguments = spec.argv;
  std::vector<std::string> environment = child_environment(spec);
  return posix_spawn(&pid, arguments[0].c_str(), &actions.value, &attributes.value, pointers(arguments).data(),
                     pointers(environment).data());
}

// Reads what is there; closes the descriptor at its end. Output past the limit is read and dropped, so that the
// process never blocks on a full pipe.
void drain(FileDescriptor& fd, ProcessResult& result, size_t limit) {
  char buffer[16384];
  // Bounded, so that a process that never stops writing cannot keep its own deadline from being seen.
  for (int reads = 0; fd && reads < 64; ++reads) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) return fd.reset();
    const size_t keep = std::min(static_cast<size_t>(n), limit - std::min(limit, result.output.size()));
    result.output.append(buffer, keep);
    result.truncated |= keep < static_cast<size_t>(n);
  }
}

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

// The leader is not yet reaped, so its number still names this group and no other.
void kill_group_and_reap(pid_t pid) {
  ::kill(-pid, SIGKILL);
  int status;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::string ProcessResult::describe() const {
  switch (end) {
    case End::exited:
      return fmt::format("exited with status {}", code);
    case End::signaled:
      return fmt::format("was killed by signal {} ({})", code, strsignal(code));
    case End::timed_out:
      return fmt::format("was stopped after {:.3g} s", seconds);
  }
  return "";
}

ProcessResult ProcessRunner::run(const ProcessSpec& spec) {
  const int id = start(spec);
  for (;;) {
    if (auto completion = wait_any(1.0)) {
      check(completion->id == id, "ProcessRunner::run: another process was running");
      return std::move(completion->result);
    }
  }
}

PosixProcessRunner::PosixProcessRunner() = default;
PosixProcessRunner::~PosixProcessRunner() { kill_all(); }

int PosixProcessRunner::start(const ProcessSpec& spec) {
  check(!spec.argv.empty(), "ProcessSpec has no program");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) user_error("cannot start '{}': {}", spec.argv[0], error_text(errno));
  auto child = std::make_unique<Child>();
  child->output = FileDescriptor(ends[0]);
  FileDescriptor child_end(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child->start = Clock::now();
  {
    LitterLock making;
    if (const int error = spawn(spec, child_end.get(), child->lifeline.child_end(), child->pid))
      user_error("cannot start '{}': {}", spec.argv[0], error_text(error));
    child->litter = making.process_group(child->pid);
  }
  child->lifeline.tie(child->pid);
  ++started_;
  child->id = next_id_++;
  child->pid_handle = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, child->pid, 0)));
  child->max_output_bytes = spec.max_output_bytes;
  if (spec.timeout_seconds > 0) {
    const double bounded = std::min(spec.timeout_seconds, 1e9);
    child->deadline =
        child->start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
  }
  children_.push_back(std::move(child));
  return children_.back()->id;
}

// The first child that has ended or is past its deadline.
std::optional<ProcessRunner::Completion> PosixProcessRunner::collect() {
  for (auto it = children_.begin(); it != children_.end(); ++it) {
    Child& child = **it;
    int status = 0;
    const pid_t reaped = ::waitpid(child.pid, &status, WNOHANG);
    if (reaped == 0 || (reaped < 0 && errno == EINTR)) {
      if (!child.deadline || Clock::now() < *child.deadline) continue;
      kill_group_and_reap(child.pid);
      child.result.end = ProcessResult::End::timed_out;
      child.result.code = SIGKILL;
    } else if (reaped < 0) {
      const int error = errno;
      children_.erase(it);
      internal_error("a child process was reaped by someone else (is SIGCHLD ignored?): {}", error_text(error));
    } else if (WIFSIGNALED(status)) {
      child.result.end = ProcessResult::End::signaled;
      child.result.code = WTERMSIG(status);
    } else {
      child.result.code = WEXITSTATUS(status);
    }
    drain(child.output, child.result, child.max_output_bytes);
    child.result.seconds = seconds_between(child.start, Clock::now());
    Completion completion{child.id, std::move(child.result)};
    children_.erase(it);
    return completion;
  }
  return std::nullopt;
}

// Waits until something happens, at most `seconds`, and reads output. False when a signal arrived.
bool PosixProcessRunner::poll_children(double seconds) {
  std::vector<pollfd> fds;
  const Clock::time_point now = Clock::now();
  for (const auto& child : children_) {
    if (child->output) fds.push_back({child->output.get(), POLLIN, 0});
    if (child->pid_handle) fds.push_back({child->pid_handle.get(), POLLIN, 0});
    if (!child->pid_handle) seconds = std::min(seconds, 0.005);
    if (child->deadline) seconds = std::min(seconds, std::max(0.0, seconds_between(now, *child->deadline)));
  }
  const int milliseconds = static_cast<int>(std::ceil(std::min(seconds, 1e6) * 1000));
  const bool interrupted = ::poll(fds.data(), fds.size(), milliseconds) < 0 && errno == EINTR;
  for (const auto& child : children_) drain(child->output, child->result, child->max_output_bytes);
  return !interrupted;
}

std::optional<ProcessRunner::Completion> PosixProcessRunner::wait_any(double seconds) {
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e9)));
  for (;;) {
    if (children_.empty()) return std::nullopt;
    if (auto completion = collect()) return completion;
    const double left = seconds_between(Clock::now(), end);
    if (left <= 0 || !poll_children(left)) return std::nullopt;
  }
}

void PosixProcessRunner::kill_all() {
  for (const auto& child : children_) ::kill(-child->pid, SIGKILL);
  for (const auto& child : children_) kill_group_and_reap(child->pid);
  children_.clear();
}

}  // namespace cppgen
