#include "cppgen/flow/compile/tuning_results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cppgen/compile/peaks.h"
#include "cppgen/flow/compile/known_compiler.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/tuning.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/version.h"
#include "runtime/threads/topology.h"

namespace cppgen {
namespace {

std::string line_of(const Json& place, const TuningResult& r) {
  Json line = place;
  line["site"] = r.site;
  line["backend"] = r.choice.backend;
  line["separate_epilogue"] = r.choice.separate_epilogue;
  line["tuning"] = r.choice.tuning;
  line["usual_us"] = r.usual_us;
  line["best_us"] = r.best_us;
  line["model"] = r.model;
  line["by"] = r.by;
  if (r.under_load) line["under_load"] = true;
  return json_text(line, -1);
}

// The fields of a place.
Json place_of(const nlohmann::json& line) {
  TuningPlace place;
  line.at("cpu").get_to(place.cpu);
  line.at("isa").get_to(place.isa);
  line.at("threads").get_to(place.threads);
  line.at("compiler").get_to(place.compiler);
  line.at("version").get_to(place.version);
  return to_json(place);
}

bool is_engine(const std::string& name) {
  const auto& list = schedule::engine_list();
  return std::any_of(list.begin(), list.end(), [&](const schedule::Engine& engine) { return engine.backend == name; });
}

// Throws nlohmann::json::exception if a field is missing or has another type, UserError for engines and constants that
// do not exist, and for times that cannot be.
TuningResult result_of(const nlohmann::json& line) {
  TuningResult r;
  line.at("site").get_to(r.site);
  line.at("backend").get_to(r.choice.backend);
  line.at("separate_epilogue").get_to(r.choice.separate_epilogue);
  line.at("tuning").get_to(r.choice.tuning);
  line.at("usual_us").get_to(r.usual_us);
  line.at("best_us").get_to(r.best_us);
  line.at("model").get_to(r.model);
  line.at("by").get_to(r.by);
  r.under_load = line.value("under_load", false);
  (void)schedule::tuned(schedule::Tuning(1), r.choice.tuning);
  if (!r.choice.backend.empty() && !is_engine(r.choice.backend)) user_error("there is no engine {}", r.choice.backend);
  const bool is_time = r.usual_us >= 0 && r.best_us >= 0 && (r.usual_us == 0) == (r.best_us == 0);
  if (!is_time) user_error("its times are {} and {} us", r.usual_us, r.best_us);
  return r;
}

// Calls f with each line that is JSON and its number. The last line may be unfinished.
template <class F>
void each_line(const std::string& text, const F& f) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); number++) f(line, parse_json_or_discard(line), number);
}

// Those of this place, and those of this machine with any number of threads, in the order of the file.
struct ReadResults {
  std::vector<TuningResult> here, any_threads;
};

ReadResults read_results(const std::string& file, const TuningPlace& place) {
  ReadResults read;
  each_line(try_read_file(file).value_or(""), [&](const std::string&, const nlohmann::json& line, int number) {
    TuningPlace with_any_threads = place;
    if (line.is_object() && line.contains("threads") && line["threads"].is_number_integer())
      line["threads"].get_to(with_any_threads.threads);
    if (line.is_discarded() || !is_from(line, with_any_threads)) return;
    try {
      read.any_threads.push_back(result_of(line));
      if (with_any_threads.threads == place.threads) read.here.push_back(read.any_threads.back());
    } catch (const std::exception& error) {
      log_warning("{}:{}: is ignored: {}", file, number, error.what());
    }
  });
  return read;
}

// The results by site, of those that are faster than the usual plan.
ResultsBySite most_gaining(const std::vector<TuningResult>& results) {
  ResultsBySite best;
  for (const TuningResult& r : results) {
    if (r.choice == schedule::Choice() || r.best_us >= r.usual_us) continue;
    const auto found = best.find(r.site);
    const bool more = found == best.end() || r.best_us * found->second.usual_us <= found->second.best_us * r.usual_us;
    if (more) best.insert_or_assign(r.site, r);
  }
  return best;
}

}  // namespace

int threads_of_runs(const Settings& settings) {
  return settings.threads > 0 ? int(settings.threads)
                              : rt::default_threads(rt::topology_of_this_machine(), settings.smt);
}

TuningPlace tuning_place(const VecISA& isa, const Settings& settings) {
  return {cpu_model(), std::string(isa.name), threads_of_runs(settings), known_compiler(settings).identity,
          std::string(rt::kVersion)};
}

Json to_json(const TuningPlace& place) {
  return {{"cpu", place.cpu},
          {"isa", place.isa},
          {"threads", place.threads},
          {"compiler", place.compiler},
          {"version", place.version}};
}

bool is_from(const nlohmann::json& line, const TuningPlace& place) {
  const auto same = [&](const char* name, const auto& value) { return line.contains(name) && line[name] == value; };
  return same("cpu", place.cpu) && same("isa", place.isa) && same("threads", place.threads) &&
         same("compiler", place.compiler) && same("version", place.version);
}

void append_tuning_lines(const std::string& path, const std::string& lines) {
  const int created = make_directories(parent_directory(path));
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (created != 0 || !file || flock(file.get(), LOCK_EX) != 0)
    user_error("{}: cannot be written: {}", path, error_text(created ? created : errno));
  char last = '\n';
  const off_t size = lseek(file.get(), 0, SEEK_END);
  if (size > 0 && pread(file.get(), &last, 1, size - 1) != 1) last = 0;
  const std::string text = (last == '\n' ? "" : "\n") + lines;
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written == ssize_t(text.size()) && fsync(file.get()) == 0) return;
  const int error = written >= 0 && written < ssize_t(text.size()) ? ENOSPC : errno;
  if (ftruncate(file.get(), size) != 0) log_warning("{}: the last line is unfinished", path);
  user_error("{}: cannot be written: {}", path, error_text(error));
}

std::string tuning_file(const Settings& settings) { return settings.cache_dir + "/tuning/results.jsonl"; }

std::vector<TuningResult> read_tuning_results(const std::string& file, const TuningPlace& place) {
  return read_results(file, place).here;
}

std::vector<TuningResult> results_that_hold(const std::vector<TuningResult>& results) {
  std::map<std::string, std::vector<const TuningResult*>> by_site;
  for (const TuningResult& r : results) {
    std::vector<const TuningResult*>& site = by_site[r.site];
    std::erase_if(site, [&](const TuningResult* earlier) {
      return r.is_refutation() ? earlier->choice == r.choice : earlier->by == r.by;
    });
    if (!r.is_refutation()) site.push_back(&r);
  }
  std::vector<TuningResult> hold;
  for (const auto& [site, list] : by_site)
    for (const TuningResult* r : list) hold.push_back(*r);
  return hold;
}

ResultsBySite results_in_use(const std::string& file, const TuningPlace& place) {
  const ReadResults read = read_results(file, place);
  ResultsBySite used = most_gaining(results_that_hold(read.here));
  std::erase_if(used, [](const auto& row) { return changes_bits(row.second.choice); });
  for (auto& [site, r] : most_gaining(results_that_hold(read.any_threads)))
    if (changes_bits(r.choice)) used.insert_or_assign(site, std::move(r));
  return used;
}

std::string valid_tuning_lines(const std::string& file) {
  std::string valid;
  each_line(read_file(file), [&](const std::string& text, const nlohmann::json& line, int number) {
    try {
      if (line.is_discarded()) user_error("it is not JSON");
      (void)result_of(line);
      valid += text + "\n";
    } catch (const std::exception& error) {
      log_warning("{}:{}: is left out: {}", file, number, error.what());
    }
  });
  return valid;
}

std::string tuning_lines(const TuningPlace& place, const std::vector<TuningResult>& results) {
  std::string lines;
  for (const TuningResult& r : results) lines += line_of(to_json(place), r) + "\n";
  return lines;
}

void append_tuning_results(const std::string& file, const TuningPlace& place,
                           const std::vector<TuningResult>& results) {
  append_tuning_lines(file, tuning_lines(place, results));
}

int merge_tuning_results(const std::string& file, const std::string& lines, const std::string& source) {
  std::map<std::string, std::vector<TuningResult>> by_place;
  std::map<std::string, Json> places;
  each_line(lines, [&](const std::string& text, const nlohmann::json& line, int number) {
    try {
      if (text.empty()) return;
      if (line.is_discarded()) user_error("it is not JSON");
      const Json place = place_of(line);
      by_place[json_text(place, -1)].push_back(result_of(line));
      places.emplace(json_text(place, -1), place);
    } catch (const nlohmann::json::exception&) {
      user_error("{}:{}: is not the result of a tuning: a member is missing or has another type", source, number);
    } catch (const std::exception& error) {
      user_error("{}:{}: is not the result of a tuning: {}", source, number, error.what());
    }
  });
  std::set<std::string> known;
  each_line(try_read_file(file).value_or(""),
            [&](const std::string& text, const nlohmann::json&, int) { known.insert(text); });
  std::string missing;
  int count = 0;
  for (const auto& [place, results] : by_place)
    for (const TuningResult& r : results_that_hold(results))
      if (const std::string text = line_of(places.at(place), r); known.insert(text).second)
        missing += text + "\n", count++;
  if (count) append_tuning_lines(file, missing);
  return count;
}

std::string used_tuning_lines(const VecISA& isa, const Settings& settings, const schedule::Choices& choices,
                              const std::vector<SiteReport>& sites) {
  const TuningPlace place = tuning_place(isa, settings);
  ResultsBySite in_use = results_in_use(tuning_file(settings), place);
  std::vector<TuningResult> used;
  for (const SiteReport& site : sites)
    if (const auto found = in_use.find(site.site); choices.contains(site.site) && found != in_use.end())
      used.push_back(in_use.extract(found).mapped());
  return tuning_lines(place, used);
}

void clear_tunings(const Settings& settings) {
  const std::string folder = parent_directory(tuning_file(settings));
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error) user_error("FLUSH_PROFILE_CACHE: {}: cannot be removed: {}", folder, error.message());
}

std::shared_ptr<const schedule::Choices> stored_choices(const VecISA& isa, const Settings& settings) {
  if (settings.force_disable_caches || !settings.kernel_cache) return nullptr;
  const std::string file = tuning_file(settings);
  if (access(file.c_str(), R_OK) != 0) return nullptr;
  auto choices = std::make_shared<schedule::Choices>();
  for (auto& [site, r] : results_in_use(file, tuning_place(isa, settings)))
    if (!settings.deterministic || !changes_bits(r.choice)) choices->emplace(site, std::move(r.choice));
  return choices->empty() ? nullptr : choices;
}

}  // namespace cppgen
