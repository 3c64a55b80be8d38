// cppgen tune
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/tuning.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/flow/trace/ops_record.h"
#include "cppgen/support/file_io.h"
#include "cppgen/tune/experience.h"
#include "cppgen/tune/forecast.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/package/package.h"

namespace cppgen {
namespace {

double gain_of(const tune::TuneReport& report) {
  return report.kept && report.ms > 0 ? 100 * (report.usual_ms / report.ms - 1) : 0;
}

Json report_json(const TuneOptions& options, const VersionTuning& tuning) {
  const tune::TuneReport& report = tuning.report;
  Json json;
  json["model"] = options.model;
  json["dims"] = options.dims;
  if (!tuning.version.empty()) json["version"] = tuning.version;
  json["known"] = report.known;
  json["kept"] = report.kept;
  json["under_load"] = report.under_load;
  json["measured"] = report.measured;
  json["unchanged"] = report.unchanged;
  json["failed"] = report.failed;
  json["interrupted"] = report.interrupted;
  json["resumed"] = report.resumed;
  json["considered"] = report.considered;
  json["stopped"] = report.stopped;
  json["left"] = report.left;
  json["predicted_slower"] = report.dropped;
  json["known_slower"] = report.hopeless;
  json["withdrawn"] = report.withdrawn;
  json["earlier_choices"] = report.others;
  json["mispredicted"] = report.surprising;
  json["usual_ms"] = report.usual_ms;
  json["ms"] = report.ms;
  json["gain_percent"] = gain_of(report);
  json["sites"] = Json::array();
  for (const tune::ChangedSite& site : report.sites)
    json["sites"].push_back({{"site", site.site},
                             {"choice", site.candidate},
                             {"nodes", site.nodes},
                             {"usual_ms", site.usual_ms},
                             {"ms", site.ms}});
  return json;
}

// One object; for versions, an object with a list of such objects.
Json reports_json(const TuneOptions& options, const std::vector<VersionTuning>& tunings) {
  if (options.sizes.empty()) return report_json(options, tunings[0]);
  Json all = Json::array();
  for (const VersionTuning& tuning : tunings) all.push_back(report_json(options, tuning));
  return Json{{"versions", std::move(all)}};
}

std::string site_lines(const tune::TuneReport& report) {
  std::string text;
  for (const tune::ChangedSite& site : report.sites)
    text += fmt::format("  {:<24} {:9.4f} ms -> {:9.4f} ms  {} ({})\n", site.candidate, site.usual_ms, site.ms,
                        site.site, site.nodes.empty() ? "all nodes" : printable_list(site.nodes));
  return text;
}

// Returns why the tuning of the model is not finished; "" if it is.
std::string incomplete_text(const tune::TuneReport& report) {
  std::string text;
  if (!report.interrupted.empty()) text += "stopped by something else, which says nothing about these plans:\n";
  for (const std::string& interrupted : report.interrupted) text += "  " + for_terminal(interrupted) + "\n";
  if (report.stopped)
    text += fmt::format("the time is up (--seconds): {} not measured\n", counted(report.left, "candidate"));
  if (!text.empty()) text += "The same command continues this tuning.\n";
  return text;
}

std::string tuning_text(const TuneOptions& options, const VersionTuning& tuning) {
  const tune::TuneReport& report = tuning.report;
  std::string text = printable(options.model);
  for (const std::string& dim : options.dims) text += " --dim " + printable(dim);
  text += ": ";
  if (!tuning.version.empty()) text += printable(tuning.version) + ": ";
  if (report.known)
    return text +
           (report.kept ? fmt::format("tuned before: {:.1f}% faster\n", gain_of(report))
                        : "tuned before: the usual plans are the fastest\n") +
           (report.under_load ? "The machine was busy then: on a quiet one it is measured again.\n" : "") +
           "(--renew measures again.)\n";
  text += fmt::format("{} measured, {} unchanged, {} failed\n", counted(report.measured, "candidate"), report.unchanged,
                      report.failed.size());
  if (report.resumed > 0)
    text += fmt::format("resumed: {} of {} candidates were measured before\n", report.resumed, report.considered);
  if (!report.dropped.empty())
    text += fmt::format("not measured, because they are predicted to be slower everywhere: {}\n",
                        printable_list(report.dropped));
  if (!report.hopeless.empty())
    text += fmt::format("not measured, because earlier tunings never found them faster: {}\n",
                        printable_list(report.hopeless));
  if (!report.surprising.empty())
    text += fmt::format(
        "further plans were measured for {}, where the usual plan takes more than {} times its prediction\n",
        counted(int64_t(report.surprising.size()), "site"), tune::Forecast::kSurprising);
  for (const std::string& failed : report.failed) text += "  " + for_terminal(failed) + "\n";
  text += incomplete_text(report);
  if (!report.withdrawn.empty())
    text += fmt::format("no longer used, because they are not faster: the choices of earlier tunings for {}\n",
                        printable_list(report.withdrawn));
  if (report.others > 0)
    text += fmt::format("choices of earlier tunings remain in use for {}\n", counted(report.others, "site"));
  text += site_lines(report);
  const bool complete = !report.stopped && report.interrupted.empty();
  if (report.sites.empty() && !complete)
    return text + "None of the plans that were measured is faster than the usual ones so far; nothing is stored.\n";
  if (report.sites.empty())
    return text + (report.measured > 0 ? "No other plans are faster than the usual ones; nothing is stored.\n"
                                       : "No other plans were measured; nothing is stored.\n");
  text +=
      fmt::format("whole runs: {:.4f} ms -> {:.4f} ms{}\n", report.usual_ms, report.ms,
                  report.under_load ? ", disturbed by other programs: on a quiet machine, the same command measures "
                                      "them again"
                                    : "");
  return text + (report.kept
                     ? fmt::format("{:.1f}% faster; the choices are stored and used from now on.\n", gain_of(report))
                     : "Together they are not faster, so none is kept.\n");
}

void export_results(const std::string& from, const std::string& to) {
  if (!std::filesystem::exists(from)) user_error("--export: there are no results of tunings in {}", from);
  if (const int e = write_file(to, valid_tuning_lines(from)))
    user_error("--export: {} cannot be written: {}", to, error_text(e));
}

// A file of results, or a package, which contains those that it was compiled with.
std::string results_to_import(const std::string& path) {
  constexpr int64_t kMostBytes = int64_t{1} << 28;
  if (!std::filesystem::is_directory(path)) return read_file(path, kMostBytes);
  const auto text = try_read_file(path + "/" + kBundledResults, kMostBytes);
  if (!text && !try_read_file(path + "/" + std::string(rt::kManifestFile)))
    user_error("--import: {}: the folder is not a package", path);
  if (!text) user_error("--import: {}: the package was compiled without results of tunings", path);
  return *text;
}

Json learned_json(const tune::Experience& experience) {
  const tune::Experience::Misses misses = experience.misses();
  Json json;
  json["observed"] = misses.observed, json["would_skip"] = misses.skipped, json["would_miss"] = Json::array();
  for (const tune::Observation& o : misses.of)
    json["would_miss"].push_back(
        {{"candidate", o.candidate}, {"kinds", o.kinds}, {"model", o.model}, {"ratio", o.ratio}});
  json["candidates"] = Json::array();
  for (const tune::Experience::Row& row : experience.rows())
    json["candidates"].push_back({{"candidate", row.candidate},
                                  {"kind", row.kind},
                                  {"observed", row.observed},
                                  {"faster", row.faster},
                                  {"best", row.best},
                                  {"skipped", row.hopeless}});
  return json;
}

std::string learned_text(const tune::Experience& experience) {
  std::string text =
      fmt::format("{:<28} {:<24} {:>8} {:>6} {:>6}\n", "candidate", "sites", "observed", "faster", "best");
  for (const tune::Experience::Row& row : experience.rows())
    text += fmt::format("{:<28} {:<24} {:8} {:6} {:6.3f}{}\n", row.candidate, for_terminal(row.kind), row.observed,
                        row.faster, row.best, row.hopeless ? "  no longer measured" : "");
  const tune::Experience::Misses misses = experience.misses();
  text += fmt::format(
      "Judged by all other models, {} of {} would not have been measured, of which {} faster ones would have been "
      "missed.\n",
      misses.skipped, counted(misses.observed, "observation"), misses.of.size());
  for (const tune::Observation& o : misses.of)
    text += fmt::format("  {:<26} {:<24} {:.3f} of the usual time in {}\n", o.candidate,
                        for_terminal(fmt::format("{}", fmt::join(o.kinds, ", "))), o.ratio, for_terminal(o.model));
  return text;
}

void report_learned(const TuneOptions& options, const Settings& settings) {
  const tune::Experience experience(tune::experience_file(settings), tuning_place(likely_isa(settings), settings));
  print_result(options.json ? json_text(learned_json(experience), 2) + "\n" : learned_text(experience));
}

// Prints the report, unless it is JSON.
Json tune_one(const TuneOptions& options, const Settings& settings, const TuningLimits& limits,
              const CancelToken& cancel) {
  const std::vector<VersionTuning> tunings = tune_with_progress(options, settings, cancel, limits);
  if (options.json) return reports_json(options, tunings);
  for (const VersionTuning& tuning : tunings) print_result(for_terminal(tuning_text(options, tuning)));
  return {};
}

// Tunes what was recorded, contractions, unless the settings say which kinds. A model that is no longer there, or that
// cannot be tuned, does not keep the others from it. Returns the number of those.
int tune_recorded(const TuneOptions& options, Settings settings, const TuningLimits& limits,
                  const CancelToken& cancel) {
  if (!settings.max_autotune_pointwise) settings.set("MAX_AUTOTUNE_GEMM", "1");
  int failed = 0;
  Json reports = Json::array();
  for (const RecordedModel& recorded : recorded_models(options.records)) {
    TuneOptions one = options;
    one.model = recorded.model, one.dims = recorded.dims;
    try {
      reports.push_back(tune_one(one, settings, limits, cancel));
    } catch (const UserError& error) {
      log_warning("{}", error.what());
      failed++;
    }
  }
  if (options.json) print_result(json_text(Json{{"models", std::move(reports)}}, 2) + "\n");
  return failed;
}

}  // namespace

ExitCode command_tune(const TuneOptions& options, const CancelToken& cancel) {
  Settings settings = read_settings(options);
  if (options.renew) settings.set("FORCE_PROFILE", "1");
  const bool other_work = !options.import_file.empty() || !options.export_file.empty() || options.learned;
  if (options.model.empty() && options.records.empty() && !other_work)
    user_error("tune: give a model, --from, --import, --export or --learned");
  if (options.learned && options.json && !(options.model.empty() && options.records.empty()))
    user_error("tune: --learned --json prints one object: give neither MODEL nor --from with them");
  if (!options.records.empty() && !(options.model.empty() && options.dims.empty() && options.sizes.empty()))
    user_error("tune: --from names the models and their sizes; give neither MODEL nor --dim nor --sizes with it");
  require_writable("--export", options.export_file);
  const TuningLimits limits{deadline_after(options.seconds), options.any_load};
  if (settings.flush_profile_cache) clear_tunings(settings);
  const bool only_files = options.model.empty() && options.records.empty() && !options.learned;
  Json files;
  if (!options.import_file.empty()) {
    const int count =
        merge_tuning_results(tuning_file(settings), results_to_import(options.import_file), options.import_file);
    files["imported"] = count;
    if (!options.json) print_result(counted(count, "new result") + " imported\n");
  }
  if (!options.model.empty()) {
    const Json report = tune_one(options, settings, limits, cancel);
    if (options.json) print_result(json_text(report, 2) + "\n");
  }
  const int failed = options.records.empty() ? 0 : tune_recorded(options, settings, limits, cancel);
  if (!options.export_file.empty()) {
    export_results(tuning_file(settings), options.export_file);
    files["exported"] = options.export_file;
  }
  if (options.json && only_files) print_result(json_text(files, 2) + "\n");
  if (options.learned) report_learned(options, settings);
  if (failed) user_error("{}: {} not tuned", options.records, counted(failed, "model"));
  return kDone;
}

}  // namespace cppgen
