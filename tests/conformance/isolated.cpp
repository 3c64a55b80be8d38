#include "tests/conformance/isolated.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>

#include "runtime/base/errors.h"

namespace cppgen::conformance {
namespace {

constexpr size_t kMaxText = 60 << 10;  // fits the pipe, so that nobody has to read while the process runs

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Child {
  size_t item = 0;
  int pipe = -1;
  double deadline = 0;
  bool killed = false;
};

class Pool {
 public:
  Pool(size_t count, double timeout, const std::function<std::string(size_t)>& work)
      : results_(count), timeout_(timeout), work_(work) {}

  std::vector<Isolated> run(int jobs) {
    for (size_t next = 0; next < results_.size() || !children_.empty();) {
      while (next < results_.size() && int(children_.size()) < jobs) start(next++);
      if (!reap()) std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return std::move(results_);
  }

 private:
  std::vector<Isolated> results_;
  double timeout_;
  const std::function<std::string(size_t)>& work_;
  std::map<pid_t, Child> children_;

  void start(size_t item) {
    int ends[2];
    check(pipe(ends) == 0, "no pipe");
    const pid_t id = fork();
    check(id >= 0, "no process");
    if (id == 0) {
      close(ends[0]);
      const std::string text = work_(item).substr(0, kMaxText);
      const bool written = write(ends[1], text.data(), text.size()) == ssize_t(text.size());
      _exit(written ? 0 : 1);
    }
    close(ends[1]);
    children_[id] = {item, ends[0], now() + timeout_, false};
  }

  bool reap() {
    bool any = false;
    for (auto it = children_.begin(); it != children_.end();) {
      auto& [id, child] = *it;
      int status = 0;
      if (waitpid(id, &status, WNOHANG) == id) {
        collect(child, status);
        it = children_.erase(it);
        any = true;
        continue;
      }
      if (!child.killed && now() > child.deadline) child.killed = true, kill(id, SIGKILL);
      ++it;
    }
    return any;
  }

  void collect(const Child& child, int status) {
    Isolated& result = results_[child.item];
    char buffer[4096];
    for (ssize_t n; (n = read(child.pipe, buffer, sizeof buffer)) > 0;) result.text.append(buffer, size_t(n));
    close(child.pipe);
    if (child.killed)
      result.trouble = fmt::format("took more than {} s", timeout_);
    else if (WIFSIGNALED(status))
      result.trouble = fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
      result.trouble = fmt::format("ended with status {}", WEXITSTATUS(status));
  }
};

}  // namespace

std::vector<Isolated> run_isolated(size_t count, int jobs, double timeout_seconds,
                                   const std::function<std::string(size_t)>& work) {
  return Pool(count, timeout_seconds, work).run(jobs);
}

}  // namespace cppgen::conformance
