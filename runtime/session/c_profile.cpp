// The C API for measurements of steps.
#include <fmt/format.h>

#include "runtime/session/c_api_support.h"

using namespace cppgen;
using namespace cppgen::rt;

namespace {

// The session and those of its versions.
std::vector<const Session*> versions_of(const Session& session) {
  std::vector<const Session*> all{&session};
  for (const auto& version : session.versions()) all.push_back(version.get());
  return all;
}

// One for each version of the model that ran.
std::string profile_tables(const Session& session) {
  if (session.versions().empty()) return profile_text(session.plan(), session.profile(), session.labels());
  std::string text;
  for (const Session* version : versions_of(session)) {
    const std::vector<StepProfile> profile = version->profile();
    if (std::all_of(profile.begin(), profile.end(), [](const StepProfile& step) { return step.calls == 0; })) continue;
    text += fmt::format("version {}\n", version->executable().version());
    text += profile_text(version->plan(), profile, version->labels());
  }
  return text;
}

std::vector<std::string> nodes_of_steps(const Session& session) {
  std::vector<std::string> nodes;
  for (const Session* version : versions_of(session))
    for (const Step& step : version->plan().steps) nodes.push_back(fmt::format("{}", fmt::join(step.origins, ", ")));
  return nodes;
}

std::vector<cppgen_step> steps_of(const cppgen_session& session) {
  std::call_once(session.nodes_are_known, [&] { session.nodes = nodes_of_steps(session.session); });
  std::vector<cppgen_step> all;
  for (const Session* version : versions_of(session.session)) {
    const std::vector<Step>& steps = version->plan().steps;
    std::vector<StepProfile> profile = version->profile();
    profile.resize(steps.size());
    for (size_t i = 0; i < steps.size(); i++)
      all.push_back({version->executable().version().c_str(), version->labels()[i].c_str(), steps[i].engine.c_str(),
                     session.nodes[all.size()].c_str(), profile[i].calls, profile[i].ns * 1e-9, profile[i].flops,
                     profile[i].bytes});
  }
  return all;
}

}  // namespace

cppgen_status cppgen_session_profile(const cppgen_session* session, char* text, size_t capacity, size_t* length,
                                     cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(text || capacity == 0, "text");
    const std::string table = profile_tables(session->session);
    if (length) *length = table.size();
    if (capacity == 0) return;
    const size_t count = std::min(table.size(), capacity - 1);
    std::memcpy(text, table.data(), count);
    text[count] = '\0';
  });
}

cppgen_status cppgen_session_steps_sized(const cppgen_session* session, cppgen_step* steps, size_t size,
                                         size_t capacity, size_t* count, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(steps || capacity == 0, "steps");
    const std::vector<cppgen_step> all = steps_of(*session);
    if (count) *count = all.size();
    for (size_t i = 0; i < std::min(all.size(), capacity); i++)
      write_sized(reinterpret_cast<cppgen_step*>(reinterpret_cast<char*>(steps) + i * size), size, all[i]);
  });
}
