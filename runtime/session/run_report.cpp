#include "runtime/session/run_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen::rt {
namespace {

// Empty without a profile.
std::vector<StepProfile> profile_of(const Session& session) {
  std::vector<StepProfile> profile = session.profile();
  if (!profile.empty() && !profile[0].calls) profile.clear();
  return profile;
}

Json verify_json(const VerifyReport& report) {
  Json outputs = Json::array();
  for (const OutputReport& it : report.outputs)
    outputs.push_back({{"name", it.name},
                       {"ok", it.ok},
                       {"reason", it.reason},
                       {"max_difference", it.max_difference},
                       {"max_expected", it.max_expected},
                       {"allowed", it.limit},
                       {"compared", it.compared},
                       {"wrong", it.wrong}});
  return {{"ok", report.ok()}, {"reason", report.reason}, {"outputs", std::move(outputs)}};
}

Json profile_json(const Plan& plan, std::span<const StepProfile> profile, std::span<const std::string> labels) {
  Json steps = Json::array();
  for (size_t i = 0; i < profile.size(); i++)
    steps.push_back({{"step", i},
                     {"kernel", plan.steps[i].name},
                     {"label", labels[i]},
                     {"engine", plan.steps[i].engine},
                     {"nodes", plan.steps[i].origins},
                     {"calls", profile[i].calls},
                     {"nanoseconds", profile[i].ns},
                     {"gflops_per_second", profile[i].gflops_per_second()},
                     {"gb_per_second", profile[i].gb_per_second()}});
  return steps;
}

}  // namespace

std::string run_report_text(const Session& session, std::span<const double> ms, const VerifyReport* verified) {
  const SessionStats stats = session.stats();
  const std::string& version = session.executable().version();
  std::string text = fmt::format(
      "{}{} on {} ({}), weights {} bytes, arena {} bytes\n"
      "{}: min {:.3f} ms, median {:.3f} ms, max {:.3f} ms\n",
      version.empty() ? "" : fmt::format("version {}: ", version), counted(stats.steps, "step"),
      counted(stats.threads, "thread"), session.plan().isa, stats.weights_bytes, stats.arena_bytes,
      counted(int64_t(ms.size()), "run"), ms.front(), ms[ms.size() / 2], ms.back());
  if (const auto profile = profile_of(session); !profile.empty())
    text += profile_text(session.plan(), profile, session.labels());
  return verified ? text + verified->text() : text;
}

std::string run_report_json(const Session& session, std::span<const double> ms, const VerifyReport* verified) {
  const SessionStats stats = session.stats();
  Json root{{"model", session.plan().model},
            {"isa", session.plan().isa},
            {"threads", stats.threads},
            {"steps", stats.steps},
            {"weights_bytes", stats.weights_bytes},
            {"arena_bytes", stats.arena_bytes},
            {"runs", ms.size()},
            {"min_ms", ms.front()},
            {"median_ms", ms[ms.size() / 2]},
            {"max_ms", ms.back()}};
  if (const std::string& version = session.executable().version(); !version.empty()) root["version"] = version;
  if (verified) root["verify"] = verify_json(*verified);
  if (const auto profile = profile_of(session); !profile.empty())
    root["profile"] = profile_json(session.plan(), profile, session.labels());
  return json_text(root, 1) + "\n";
}

}  // namespace cppgen::rt
