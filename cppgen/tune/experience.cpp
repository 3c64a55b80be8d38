#include "cppgen/tune/experience.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "cppgen/tune/winners.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"

namespace cppgen::tune {
namespace {

constexpr int kEnough = 8;     // observations
constexpr size_t kModels = 2;  // of different models
constexpr const char* kProgram = "program";

// "conv-783ce276d78aea53"
std::string kind_of(const std::string& site) { return site.substr(0, site.rfind('-')); }

std::vector<std::string> kinds_of(const std::set<std::string>& sites) {
  std::set<std::string> kinds;
  for (const std::string& site : sites) kinds.insert(kind_of(site));
  return {kinds.begin(), kinds.end()};
}

bool is_observed_at(const Observation& o, const std::string& kind) {
  return std::find(o.kinds.begin(), o.kinds.end(), kind) != o.kinds.end();
}

bool is_faster(const Observation& o) {
  return is_observed_at(o, kProgram) ? o.ratio < kFasterRun : is_faster(Region{{}, 1, o.ratio});
}

// The rule. Observations of `except` do not count.
bool is_hopeless_for(const std::vector<Observation>& all, const std::string& candidate, const std::string& kind,
                     const std::string* except = nullptr) {
  std::set<std::string> models;
  int observed = 0;
  for (const Observation& o : all) {
    if (o.candidate != candidate || !is_observed_at(o, kind) || (except && o.model == *except)) continue;
    if (is_faster(o)) return false;
    models.insert(o.model), observed++;
  }
  return observed >= kEnough && models.size() >= kModels;
}

std::string line_of(const TuningPlace& place, const Observation& o) {
  Json line = to_json(place);
  line["candidate"] = o.candidate, line["kinds"] = o.kinds, line["model"] = o.model, line["ratio"] = o.ratio;
  return json_text(line, -1) + "\n";
}

}  // namespace

std::string experience_file(const Settings& settings) { return settings.cache_dir + "/tuning/outcomes.jsonl"; }

Experience::Experience(std::string file, const TuningPlace& place) : file_(std::move(file)), place_(place) {
  std::istringstream lines(try_read_file(file_).value_or(""));
  for (std::string text; std::getline(lines, text);) {
    const nlohmann::json line = parse_json_or_discard(text);
    if (line.is_discarded() || !is_from(line, place_)) continue;
    try {
      all_.push_back({line.at("candidate").get<std::string>(), line.at("kinds").get<std::vector<std::string>>(),
                      line.at("model").get<std::string>(), line.at("ratio").get<double>()});
    } catch (const nlohmann::json::exception&) {
      continue;  // of another version
    }
  }
  saved_ = all_.size();
}

bool Experience::is_hopeless(const Candidate& candidate, const std::vector<SiteReport>& sites) const {
  std::set<std::string> kinds;
  for (const SiteReport& site : sites)
    if (concerns(candidate, site)) kinds.insert(kind_of(site.site));
  return !kinds.empty() && std::all_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
    return is_hopeless_for(all_, candidate.name, kind);
  });
}

void Experience::add(const std::vector<Candidate>& candidates, const Journal& journal, const std::string& model,
                     double run_ms) {
  for (const Candidate& candidate : candidates) {
    const Outcome* outcome = journal.find(candidate.name);
    if (!outcome || !outcome->failure.empty() || outcome->regions.empty()) continue;
    const bool whole = candidate.scope == schedule::TuningScope::whole;
    double saved = 0;
    for (const Region& r : outcome->regions) {
      saved += saved_ms(r);
      if (!whole && r.usual_ms > 0) all_.push_back({candidate.name, kinds_of(r.sites), model, r.ms / r.usual_ms});
    }
    if (whole && run_ms > 0) all_.push_back({candidate.name, {kProgram}, model, 1 - saved / run_ms});
  }
}

void Experience::save() {
  std::string lines;
  for (size_t i = saved_; i < all_.size(); i++) lines += line_of(place_, all_[i]);
  saved_ = all_.size();
  if (lines.empty()) return;
  try {
    append_tuning_lines(file_, lines);
  } catch (const UserError& error) {
    log_warning("{}; later tunings learn nothing from this one", error.what());
  }
}

std::vector<Experience::Row> Experience::rows() const {
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const Observation& o : all_)
    for (const std::string& kind : o.kinds) {
      Row& row = rows[{o.candidate, kind}];
      row.best = row.observed ? std::min(row.best, o.ratio) : o.ratio;
      row.observed++, row.faster += is_faster(o);
    }
  std::vector<Row> list;
  for (auto& [key, row] : rows) {
    row.candidate = key.first, row.kind = key.second;
    row.hopeless = is_hopeless_for(all_, row.candidate, row.kind);
    list.push_back(std::move(row));
  }
  return list;
}

Experience::Misses Experience::misses() const {
  Misses misses;
  for (const Observation& o : all_) {
    misses.observed++;
    const bool skipped = std::all_of(o.kinds.begin(), o.kinds.end(), [&](const std::string& kind) {
      return is_hopeless_for(all_, o.candidate, kind, &o.model);
    });
    misses.skipped += skipped;
    if (skipped && is_faster(o)) misses.of.push_back(o);
  }
  return misses;
}

}  // namespace cppgen::tune
