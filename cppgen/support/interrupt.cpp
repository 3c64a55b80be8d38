#include "cppgen/support/interrupt.h"

#include <csignal>

#include "runtime/base/errors.h"

namespace cppgen {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// A signal handler gets no argument: this one pointer is the only way in, and lives as long as a ScopedSignalCancel.
std::atomic<CancelToken*> g_token{nullptr};
struct sigaction g_previous[std::size(kSignals)];

extern "C" void on_signal(int) {
  if (CancelToken* token = g_token.load()) token->cancel();
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &g_previous[i], nullptr);
}

}  // namespace

ScopedSignalCancel::ScopedSignalCancel(CancelToken& token) {
  CancelToken* none = nullptr;
  check(g_token.compare_exchange_strong(none, &token), "ScopedSignalCancel: one is active already");
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &g_previous[i]);
    // Signals that the user chose to ignore (nohup) stay ignored.
    if (g_previous[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

ScopedSignalCancel::~ScopedSignalCancel() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &g_previous[i], nullptr);
  g_token.store(nullptr);
}

}  // namespace cppgen
