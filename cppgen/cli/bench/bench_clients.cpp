#include "cppgen/cli/bench/bench_clients.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "cppgen/cli/shared/command_support.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

// One series of runs of all clients.
class Series {
 public:
  Series(const RunLimit& limit, const CancelToken& cancel) : limit_(limit), cancel_(cancel), left_(limit.runs) {}

  // The work of one client, on its thread; waits until all are there.
  void work(Caller& caller, RunTimes& times) {
    state_.wait(State::waiting);
    if (state_ == State::ended) return;
    try {
      while (may_run(times.seconds.empty())) times.seconds.push_back(caller.run());
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      state_ = State::ended;
    }
    times.wall_s = seconds_now() - begin_;
  }

  void start() {
    begin_ = seconds_now();
    set(State::running);
  }
  void end() { set(State::ended); }
  void throw_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  enum class State { waiting, running, ended };

  void set(State state) {
    state_ = state;
    state_.notify_all();
  }

  // However short the time is, a client runs once.
  bool may_run(bool first) {
    return state_ == State::running && !cancel_.cancelled() && (first || seconds_now() - begin_ < limit_.seconds) &&
           left_.fetch_sub(1, std::memory_order_relaxed) > 0;
  }

  const RunLimit limit_;
  const CancelToken& cancel_;
  std::atomic<int64_t> left_;
  std::atomic<State> state_{State::waiting};
  double begin_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

TimedClients::TimedClients(const ReadyModel& model, const std::vector<rt::Value>& inputs, int64_t clients)
    : TimedModel(model, inputs) {
  if (model.reference) user_error("--clients needs compiled code: remove --reference and FORCE_NATIVE_RUNTIME");
  for (int64_t i = 0; i < clients; i++) callers_.push_back(std::make_unique<Caller>(model, inputs));
}

void TimedClients::run_until(const RunLimit& limit, RunTimes& times, const CancelToken& cancel) {
  Series series(limit, cancel);
  std::vector<RunTimes> of_client(callers_.size());
  {
    std::vector<std::jthread> threads;
    try {
      for (size_t i = 0; i < callers_.size(); i++)
        threads.emplace_back([&, i] { series.work(*callers_[i], of_client[i]); });
    } catch (const std::system_error& error) {
      series.end();
      user_error("--clients {}: the system refuses so many threads: {}", callers_.size(), error.what());
    } catch (...) {
      series.end();
      throw;
    }
    series.start();
  }
  series.throw_error();
  throw_if_cancelled(cancel);
  double wall_s = 0;
  for (const RunTimes& client : of_client) {
    times.seconds.insert(times.seconds.end(), client.seconds.begin(), client.seconds.end());
    wall_s = std::max(wall_s, client.wall_s);
  }
  times.wall_s += wall_s;
}

std::unique_ptr<TimedModel> timed_model(const ReadyRun& run, int64_t clients) {
  if (clients == 1) return std::make_unique<TimedModel>(run.model, run.inputs);
  return std::make_unique<TimedClients>(run.model, run.inputs, clients);
}

}  // namespace cppgen
