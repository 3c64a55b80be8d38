#include "cppgen/tune/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "runtime/base/json_text.h"

namespace cppgen::tune {
namespace {

Json json_of(const std::string& candidate, const Outcome& outcome) {
  Json line{{"candidate", candidate}, {"failure", outcome.failure}, {"regions", Json::array()}};
  for (const Region& r : outcome.regions)
    line["regions"].push_back({{"sites", r.sites}, {"usual_ms", r.usual_ms}, {"ms", r.ms}});
  return line;
}

Outcome outcome_of(const nlohmann::json& line) {
  Outcome outcome{line.at("failure").get<std::string>(), {}, false};
  for (const auto& r : line.at("regions"))
    outcome.regions.push_back(
        {r.at("sites").get<std::set<std::string>>(), r.at("usual_ms").get<double>(), r.at("ms").get<double>()});
  return outcome;
}

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::istringstream lines(try_read_file(path_).value_or(""));
  for (std::string text; std::getline(lines, text);) {
    const nlohmann::json line = parse_json_or_discard(text);
    if (line.is_discarded()) continue;  // the process was killed while it wrote
    try {
      outcomes_[line.at("candidate").get<std::string>()] = outcome_of(line);
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
}

const Outcome* Journal::find(const std::string& candidate) const {
  const auto found = outcomes_.find(key(candidate));
  return found == outcomes_.end() ? nullptr : &found->second;
}

int Journal::count(const std::vector<Candidate>& candidates) const {
  const auto has = [&](const Candidate& c) {
    if (outcomes_.count(c.name)) return true;
    const auto with_program = outcomes_.lower_bound(c.name + " with ");
    return with_program != outcomes_.end() && with_program->first.starts_with(c.name + " with ");
  };
  return int(std::count_if(candidates.begin(), candidates.end(), has));
}

// A file that cannot be written only means that a killed tuning starts again.
const Outcome& Journal::add(const std::string& candidate, Outcome outcome) {
  if (!path_.empty() && !outcome.interrupted && make_directories(parent_directory(path_)) == 0) {
    const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const std::string text = "\n" + json_text(json_of(key(candidate), outcome), -1) + "\n";
    if (file) (void)!write(file.get(), text.data(), text.size());
  }
  return outcomes_[key(candidate)] = std::move(outcome);
}

void Journal::remove() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace cppgen::tune
