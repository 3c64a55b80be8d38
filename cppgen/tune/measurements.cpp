#include "cppgen/tune/measurements.h"

#include <algorithm>
#include <chrono>

#include "cppgen/tune/winners.h"

namespace cppgen::tune {
namespace {

constexpr int kTurns = 3;  // of each candidate with the usual package

}  // namespace

Measurements::Measurements(const TuneRequest& request, const std::string& journal_file, TuneReport& report)
    : request_(request), report_(report), variants_(request), journal_(journal_file) {}

void Measurements::progress(const std::string& what, int done, int total) const {
  if (request_.on_progress) request_.on_progress(what, done, total);
}

bool Measurements::is_time_up() const {
  constexpr double kOfLast = 4;
  if (!request_.deadline) return false;
  const std::chrono::duration<double> rest = *request_.deadline - std::chrono::steady_clock::now();
  return rest.count() <= kOfLast * longest_s_;
}

bool Measurements::stop_if_time_is_up(size_t left) {
  if (!is_time_up()) return false;
  if (left > 0) report_.stopped = true;
  report_.left += int(left);
  return left > 0;
}

void Measurements::measure_all(const std::vector<Candidate>& list) {
  for (size_t i = 0; i < list.size(); i++) {
    if (!journal_.find(list[i].name) && stop_if_time_is_up(1)) continue;
    progress("measuring " + list[i].name, int(i), int(list.size()));
    measure_once(list[i]);
  }
}

// Unless a tuning that was killed did.
void Measurements::measure_once(const Candidate& candidate) {
  const Outcome* outcome = journal_.find(candidate.name);
  if (!outcome) outcome = &journal_.add(candidate.name, measure(everywhere(candidate, variants_.sites()), kTurns));
  note_failure(candidate.name, outcome->failure, outcome->interrupted);
  if (outcome->interrupted) return;
  (outcome->failure.empty() && outcome->regions.empty() ? report_.unchanged : report_.measured)++;
}

Outcome Measurements::measure(const schedule::Choices& choices, int turns) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome = variants_.measure(choices, turns);
  if (outcome.interrupted) outcome = variants_.measure(choices, turns);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  longest_s_ = std::max(longest_s_, seconds.count());
  return outcome;
}

// Unless a tuning that was killed confirmed it.
bool Measurements::is_confirmed(const Candidate& candidate) {
  const std::string name = "whole runs of " + candidate.name;
  const Outcome* outcome = journal_.find(name);
  if (!outcome) {
    progress("measuring " + name, 0, 1);
    Outcome now = measure(everywhere(candidate, variants_.sites()), 1);
    if (now.failure.empty()) {
      const Variants::WholeRuns whole = variants_.time_whole(kWholeTurns);
      report_.under_load |= whole.under_load;
      now.failure = is_gain(whole) || !whole.failure.empty() ? whole.failure : "are not faster";
      now.interrupted = whole.interrupted;
    }
    outcome = &journal_.add(name, std::move(now));
  }
  if (outcome->interrupted) note_failure(name, outcome->failure, true);
  return outcome->failure.empty();
}

void Measurements::note_failure(const std::string& name, const std::string& failure, bool interrupted) {
  if (!failure.empty()) (interrupted ? report_.interrupted : report_.failed).push_back(name + ": " + failure);
}

bool is_gain(const Variants::WholeRuns& whole) {
  const bool faster = whole.failure.empty() && whole.ratio < kFasterRun && whole.ms < whole.usual_ms;
  return faster && (!whole.under_load || whole.least_ms < kFasterRun * whole.least_usual_ms);
}

}  // namespace cppgen::tune
