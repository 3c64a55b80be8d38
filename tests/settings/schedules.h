#pragma once
#include "cppgen/flow/compile/stages.h"
#include "tests/schedule/scheduled.h"

// The schedules of small graphs under settings.
namespace cppgen {

inline schedule::Schedule schedule_of(GraphMaker g, const Settings& settings) {
  return schedule::scheduled(g, schedule_options(settings));
}

inline size_t statements(GraphMaker g, const Settings& settings) {
  return schedule_of(std::move(g), settings).program.statements.size();
}

// Returns whether a rule was refused for this reason.
inline bool is_refused(const schedule::Schedule& s, const std::string& reason) {
  return std::any_of(s.log.entries.begin(), s.log.entries.end(),
                     [&](const auto& e) { return !e.decision && e.decision.reason == reason; });
}

// The text of all kernels.
inline std::string text_of(GraphMaker g, const Settings& settings) {
  std::string text;
  for (const auto& kernel : emit_kernels(schedule_of(std::move(g), settings), schedule::small_target(), settings))
    text += kernel.code();
  return text;
}

}  // namespace cppgen
