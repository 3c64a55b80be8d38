#include "cppgen/support/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "cppgen/support/file_io.h"
#include "cppgen/support/litter.h"
#include "runtime/base/errors.h"
#include "runtime/base/helper_threads.h"

namespace cppgen {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGraceSeconds = 0.5;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kUserError = 2;

// A signal handler gets no argument: these are the only way in, and live as long as a ScopedSignalCancel.
std::atomic<CancelToken*> g_token{nullptr};
std::atomic<int> g_event{-1};  // an eventfd that wakes the watching thread
std::atomic<int> g_signals{0};
std::atomic<void*> g_lost_page{nullptr};
struct sigaction g_previous[std::size(kSignals)], g_previous_bus;

void restore_signals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &g_previous[i], nullptr);
}

void wake() {
  const uint64_t one = 1;
  if (const int event = g_event.load(); event >= 0) (void)!::write(event, &one, sizeof one);
}

extern "C" void on_signal(int signal) {
  const int error = errno;
  const int count = ++g_signals;
  if (CancelToken* token = g_token.load(); token && count == 1) token->cancel(signal);
  const bool watched = g_event.load() >= 0;
  if (count == (watched ? 2 : 1)) restore_signals();  // the next one ends the process
  wake();
  errno = error;
}

// Beyond the end of a mapped file there is nothing to go on with: this thread waits for the end of the process.
extern "C" void on_bus_error(int, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR || g_event.load() < 0) {
    sigaction(SIGBUS, &g_previous_bus, nullptr);
    return;
  }
  g_lost_page.store(info->si_addr);
  wake();
  for (;;) pause();
}

// The file that is mapped at an address, from lines "begin-end mode offset device inode path" of proc(5).
std::string mapped_file_at(void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    range >> std::hex >> begin >> dash >> end;
    if (uintptr_t(address) < begin || uintptr_t(address) >= end) continue;
    const size_t path = line.find('/');
    return path == line.npos ? "" : line.substr(path);
  }
  return "";
}

}  // namespace

struct ScopedSignalCancel::Watch {
  CancelToken& token;
  const std::string program;
  FileDescriptor event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::atomic<bool> done{false};
  std::mutex mutex;  // of the next
  std::optional<std::pair<Clock::time_point, std::string>> limit;
  // None if the system refuses it, or the descriptor that wakes it: then signals only set the token.
  std::optional<std::thread> thread;

  Watch(CancelToken& cancelled, std::string name) : token(cancelled), program(std::move(name)) {}

  // Ends the process in its place, or returns when the work is done.
  void run() {
    std::optional<Clock::time_point> grace_ends;
    while (!done.load()) {
      if (void* page = g_lost_page.load()) lost(page);
      if (g_signals.load() > 0 && !grace_ends)
        grace_ends = Clock::now() + std::chrono::milliseconds(int(kGraceSeconds * 1000));
      if (grace_ends && (g_signals.load() > 1 || Clock::now() >= *grace_ends))
        leave("interrupted", 128 + token.signal());
      const auto ends = expire(grace_ends);
      sleep_until(ends);
    }
  }

  // Ends the process if the time limit has passed; else says when to look again.
  std::optional<Clock::time_point> expire(std::optional<Clock::time_point> other) {
    std::unique_lock lock(mutex);
    if (!limit) return other;
    if (Clock::now() >= limit->first) leave(limit->second, kUserError);
    return other ? std::min(*other, limit->first) : limit->first;
  }

  void sleep_until(std::optional<Clock::time_point> time) {
    int milliseconds = -1;
    if (time) {
      const double left = std::chrono::duration<double, std::milli>(*time - Clock::now()).count();
      milliseconds = int(std::ceil(std::clamp(left, 0.0, 1e9)));
    }
    pollfd wait{event.get(), POLLIN, 0};
    ::poll(&wait, 1, milliseconds);
    uint64_t count;
    (void)!::read(event.get(), &count, sizeof count);
  }

  [[noreturn]] void lost(void* page) {
    const std::string file = mapped_file_at(page);
    leave(
        fmt::format("'{}' became shorter while it was read, or its disk failed", file.empty() ? "a mapped file" : file),
        kUserError);
  }

  [[noreturn]] void leave(const std::string& message, int status) {
    remove_litter_for_exit();
    std::fprintf(stderr, "%s: %s\n", program.c_str(), message.c_str());
    std::fflush(stderr);
    _exit(status);
  }
};

namespace {

std::mutex g_watch_mutex;  // of the next
ScopedSignalCancel::Watch* g_watch = nullptr;

void set_limit(std::optional<std::pair<Clock::time_point, std::string>> limit) {
  const std::lock_guard lock(g_watch_mutex);
  if (!g_watch) return;
  const std::lock_guard own(g_watch->mutex);
  g_watch->limit = std::move(limit);
  wake();
}

}  // namespace

ScopedSignalCancel::ScopedSignalCancel(CancelToken& token, std::string program) {
  CancelToken* none = nullptr;
  check(g_token.compare_exchange_strong(none, &token), "ScopedSignalCancel: one is active already");
  watch_ = std::make_unique<Watch>(token, std::move(program));
  g_signals = 0;
  g_event = watch_->event.get();
  {
    const std::lock_guard lock(g_watch_mutex);
    g_watch = watch_.get();
  }
  // Signals are for the threads that work: a wait of theirs ends early.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (watch_->event) watch_->thread = try_thread([watch = watch_.get()] { watch->run(); });
  if (!watch_->thread) g_event = -1;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &g_previous[i]);
    // Signals that the user chose to ignore (nohup) stay ignored.
    if (g_previous[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
  struct sigaction bus = {};
  bus.sa_sigaction = on_bus_error;
  bus.sa_flags = SA_SIGINFO;
  sigemptyset(&bus.sa_mask);
  sigaction(SIGBUS, &bus, &g_previous_bus);
}

ScopedSignalCancel::~ScopedSignalCancel() {
  restore_signals();
  sigaction(SIGBUS, &g_previous_bus, nullptr);
  {
    const std::lock_guard lock(g_watch_mutex);
    g_watch = nullptr;
  }
  watch_->done = true;
  wake();
  if (watch_->thread) watch_->thread->join();
  g_event = -1;
  g_token = nullptr;
}

ScopedTimeLimit::ScopedTimeLimit(double seconds, std::string message) {
  const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e9)));
  set_limit(std::pair(Clock::now() + time, std::move(message)));
}

ScopedTimeLimit::~ScopedTimeLimit() { set_limit(std::nullopt); }

}  // namespace cppgen
