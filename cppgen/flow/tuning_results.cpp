#include "cppgen/flow/tuning_results.h"

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
#include "cppgen/compile/toolchain.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/tuning.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/package/version.h"
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
  return json_text(line, -1);
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
  (void)schedule::tuned(schedule::Tuning(1), r.choice.tuning);
  if (!r.choice.backend.empty() && !is_engine(r.choice.backend)) user_error("there is no engine {}", r.choice.backend);
  const bool is_time = r.usual_us >= 0 && r.best_us >= 0 && (r.usual_us == 0) == (r.best_us == 0);  // withdrawn: both 0
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

}  // namespace

TuningPlace tuning_place(const VecISA& isa, const Settings& settings) {
  const int threads =
      settings.threads > 0 ? int(settings.threads) : rt::default_threads(rt::topology_of_this_machine(), settings.smt);
  return {cpu_model(), std::string(isa.name), threads, Toolchain::find(settings.cxx).identity,
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
  const ssize_t written = write(file.get(), text.data(), text.size());
  if (written == ssize_t(text.size()) && fsync(file.get()) == 0) return;
  const int error = written >= 0 && written < ssize_t(text.size()) ? ENOSPC : errno;
  if (ftruncate(file.get(), size) != 0) log_warning("{}: the last line is unfinished", path);
  user_error("{}: cannot be written: {}", path, error_text(error));
}

std::string tuning_file(const Settings& settings) { return settings.cache_dir + "/tuning/results.jsonl"; }

std::vector<TuningResult> read_tuning_results(const std::string& file, const TuningPlace& place) {
  std::vector<TuningResult> results;
  const auto text = try_read_file(file);
  if (!text) return results;
  each_line(*text, [&](const std::string&, const nlohmann::json& line, int number) {
    if (line.is_discarded() || !is_from(line, place)) return;
    try {
      results.push_back(result_of(line));
    } catch (const std::exception& error) {
      log_warning("{}:{}: is ignored: {}", file, number, error.what());
    }
  });
  return results;
}

std::map<std::string, TuningResult, std::less<>> results_in_force(std::vector<TuningResult> results) {
  std::map<std::string, TuningResult, std::less<>> in_force;
  const auto gains_more = [](const TuningResult& a, const TuningResult& b) {
    return a.best_us * b.usual_us <= b.best_us * a.usual_us;
  };
  for (TuningResult& r : results) {
    const auto found = in_force.find(r.site);
    if (r.choice == schedule::Choice())
      in_force.erase(r.site);
    else if (found == in_force.end() || gains_more(r, found->second))
      in_force.insert_or_assign(r.site, std::move(r));
  }
  return in_force;
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
  std::set<std::string> known;
  each_line(try_read_file(file).value_or(""),
            [&](const std::string& text, const nlohmann::json&, int) { known.insert(text); });
  std::string missing;
  int count = 0;
  each_line(lines, [&](const std::string& text, const nlohmann::json& line, int number) {
    try {
      if (line.is_discarded()) user_error("it is not JSON");
      (void)result_of(line);
    } catch (const nlohmann::json::exception&) {
      user_error("{}:{}: is not the result of a tuning: a member is missing or has another type", source, number);
    } catch (const std::exception& error) {
      user_error("{}:{}: is not the result of a tuning: {}", source, number, error.what());
    }
    if (known.insert(text).second) missing += text + "\n", count++;
  });
  if (count) append_tuning_lines(file, missing);
  return count;
}

std::string results_in_use(const VecISA& isa, const Settings& settings, const schedule::Choices& choices,
                           const std::vector<SiteReport>& sites) {
  const TuningPlace place = tuning_place(isa, settings);
  auto in_force = results_in_force(read_tuning_results(tuning_file(settings), place));
  std::vector<TuningResult> used;
  for (const SiteReport& site : sites)
    if (const auto found = in_force.find(site.site); choices.contains(site.site) && found != in_force.end())
      used.push_back(in_force.extract(found).mapped());
  return tuning_lines(place, used);
}

void clear_tuning_results(const std::string& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) user_error("{}: cannot be removed: {}", file, error.message());
}

std::shared_ptr<const schedule::Choices> stored_choices(const VecISA& isa, const Settings& settings) {
  if (settings.force_disable_caches || !settings.kernel_cache) return nullptr;
  const std::string file = tuning_file(settings);
  if (access(file.c_str(), R_OK) != 0) return nullptr;
  auto choices = std::make_shared<schedule::Choices>();
  for (auto& [site, r] : results_in_force(read_tuning_results(file, tuning_place(isa, settings))))
    if (!settings.deterministic || !changes_bits(r.choice)) choices->emplace(site, std::move(r.choice));
  return choices->empty() ? nullptr : choices;
}

}  // namespace cppgen
