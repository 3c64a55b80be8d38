#include "cppgen/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/remote_store.h"
#include "cppgen/tune/candidates.h"
#include "cppgen/tune/experience.h"
#include "cppgen/tune/forecast.h"
#include "cppgen/tune/variants.h"
#include "cppgen/tune/winners.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen::tune {
namespace {

using schedule::Choices;
using Scope = schedule::TuningScope;

constexpr int kTurns = 3;         // of each candidate with the usual package
constexpr int kMoreTurns = 5;     // of all choices together
constexpr int kWholeTurns = 9;    // of whole runs
constexpr int kMostPrograms = 3;  // choices for the whole program whose whole runs are measured
constexpr int kMostDescents = 4;  // of COORDINATE_DESCENT_TUNING

// Identifies the tuning of a model: what is measured, where, and with which candidates.
std::string tuning_key(const TuneRequest& tune, const TuningPlace& place) {
  const CompileRequest& request = tune.compile;
  Hasher hasher;
  const Settings& s = request.settings;
  hasher.field("model", model_sha256(request)).field("settings", s.key_text());
  for (const DimOption& d : request.dims)
    hasher.field("dim", fmt::format("{}|{}|{}|{}", d.input, d.axis, d.symbol, d.size.value_or(-1)));
  for (const std::string& dim : tune.run_dims) hasher.field("run dim", dim);
  hasher.field("deterministic", int64_t(s.deterministic));
  hasher.field("cpu", place.cpu).field("isa", place.isa).field("threads", int64_t(place.threads));
  hasher.field("compiler", place.compiler).field("version", place.version);
  hasher.field("kinds", int64_t(s.max_autotune_gemm) * 2 + int64_t(s.max_autotune_pointwise));
  hasher.field("space", s.max_autotune_gemm_search_space).field("fusion", int64_t(s.benchmark_fusion));
  hasher.field("candidates", s.disable_profiler_codegen ? 0 : s.autotune_max_candidates);
  hasher.field("descent", int64_t(s.coordinate_descent_tuning));
  hasher.field("radius", s.coordinate_descent_radius);
  hasher.field("directions", int64_t(s.coordinate_descent_check_all_directions));
  return "model-" + hasher.hex().substr(0, 32);
}

std::unique_ptr<RemoteStore> remote_store(const Settings& s) {
  const auto address = parse_remote_address(s.remote_cache);
  if (!address || !s.autotune_remote_cache.value_or(true) || s.force_disable_caches) return nullptr;
  return std::make_unique<RemoteStore>(*address, s.non_blocking_remote_cache_write);
}

class Tuner {
 public:
  explicit Tuner(const TuneRequest& request)
      : request_(request),
        settings_(request.compile.settings),
        place_(tuning_place(likely_isa(settings_), settings_)),
        results_(tuning_file(settings_)),
        key_(tuning_key(request, place_)),
        usual_tuning_(target_of(likely_isa(settings_), settings_).tuning),
        variants_(request),
        journal_(settings_.force_disable_caches ? "" : settings_.cache_dir + "/tuning/" + key_ + ".jsonl"),
        experience_(experience_file(settings_), place_),
        remote_(remote_store(settings_)) {}

  TuneReport run() {
    if (find_known()) return std::move(report_);
    report_ = {};
    std::vector<Candidate> list;
    if (!settings_.disable_profiler_codegen) list = candidates(settings_, usual_tuning_);
    note_resumption(list);
    progress("compiling the usual kernels", 0, int(list.size()));
    variants_.compile_usual();
    if (settings_.ci_flag && !settings_.force_profile) return compile_only(list);
    if (!settings_.force_disable_caches) append_tuning_lines(results_, "");  // fails now, not after all measurements
    const auto end =
        std::stable_partition(list.begin(), list.end(), [](const Candidate& c) { return c.scope != Scope::run; });
    const std::vector<Candidate> of_runs(end, list.end());
    list.erase(end, list.end());
    const auto sites =
        std::stable_partition(list.begin(), list.end(), [](const Candidate& c) { return c.scope == Scope::whole; });
    // Each candidate of a whole program also changes kernels, so both share the maximum for a kernel.
    const int64_t most = settings_.autotune_max_candidates;
    const std::vector<Candidate> programs = shortlisted({list.begin(), sites}, most / 2);
    choose_program(programs);
    list = shortlisted({sites, list.end()}, most - int64_t(programs.size()));
    measure_all(list);
    if (settings_.coordinate_descent_tuning) descend(list);
    learn(list);
    choose(list);
    choose_runs(of_runs);
    list.insert(list.end(), of_runs.begin(), of_runs.end());
    store(list);
    return std::move(report_);
  }

 private:
  const TuneRequest& request_;
  const Settings& settings_;
  const TuningPlace place_;
  const std::string results_, key_;
  const schedule::Tuning usual_tuning_;
  Variants variants_;
  Journal journal_;
  Experience experience_;
  std::unique_ptr<RemoteStore> remote_;  // null: not used
  TuneReport report_;
  std::string program_;  // the candidate that is part of the base; empty: none
  std::vector<Winner> winners_;
  std::string run_constants_;  // that were chosen, in the format of TUNING
  double longest_s_ = 0;       // of a measurement

  void note_resumption(const std::vector<Candidate>& list) {
    report_.considered = int(list.size());
    report_.resumed = journal_.count(list);
    if (report_.resumed > 0 && request_.on_note)
      request_.on_note(
          fmt::format("resuming: {} of {} candidates were measured before", report_.resumed, report_.considered));
  }

  // Whether no more than the final comparison of what was chosen fits before the deadline. It measures more often than
  // a candidate is measured, and whole runs as well.
  bool is_time_up() const {
    constexpr double kOfLast = 4;
    if (!request_.deadline) return false;
    const std::chrono::duration<double> rest = *request_.deadline - std::chrono::steady_clock::now();
    return rest.count() <= kOfLast * longest_s_;
  }

  bool stop_if_time_is_up(size_t left) {
    if (!is_time_up()) return false;
    if (left > 0) report_.stopped = true;
    report_.left += int(left);
    return left > 0;
  }

  void progress(const std::string& what, int done, int total) const {
    if (request_.on_progress) request_.on_progress(what, done, total);
  }

  // The result of an earlier tuning of the whole model, here or on a machine with the same remote cache.
  bool find_known() {
    if (settings_.force_profile) return false;
    if (!look_up() && !(fetch() && look_up())) return false;
    if (!report_.under_load || is_machine_busy({.threads = place_.threads, .source = request_.load})) return true;
    report_ = {};
    if (request_.on_note) request_.on_note("the machine was busy when the model was tuned before: measuring again");
    return false;
  }

  // The results of a model are one entry of the remote cache.
  std::string remote_key() const { return "cppgen/tuning/" + key_; }

  bool fetch() {
    const auto lines = remote_ ? remote_->get(remote_key()) : std::nullopt;
    if (!lines) return false;
    try {
      merge_tuning_results(results_, *lines, "REMOTE_CACHE " + remote_key());
    } catch (const UserError& error) {
      log_warning("{}; it is ignored", error.what());
      return false;
    }
    return true;
  }

  bool look_up() {
    const std::vector<TuningResult> hold = results_that_hold(read_tuning_results(results_, place_));
    for (const TuningResult& r : hold)
      if (r.site == key_)
        report_.known = true, report_.usual_ms = r.usual_us / 1e3, report_.ms = r.best_us / 1e3,
        report_.under_load = r.under_load;
    report_.kept = report_.known && report_.ms < report_.usual_ms;
    if (!report_.kept) return report_.known;
    // Another tuning may have refuted all of its choices since.
    return report_.known = report_.kept = std::any_of(
               hold.begin(), hold.end(), [&](const TuningResult& r) { return r.by == key_ && r.site != key_; });
  }

  TuneReport compile_only(const std::vector<Candidate>& list) {
    for (size_t i = 0; i < std::min<size_t>(2, list.size()); i++) {
      progress("compiling " + list[i].name, int(i), 2);
      variants_.compile(everywhere(list[i], variants_.sites()), "candidate");
    }
    return std::move(report_);
  }

  std::vector<Candidate> shortlisted(std::vector<Candidate> all, int64_t most_of_kind) {
    if (!settings_.force_profile && !settings_.force_disable_caches) leave_out_hopeless(all);
    if (all.empty()) return all;
    if (stop_if_time_is_up(all.size())) return {};
    progress("predicting the times of candidates", 0, int(all.size()));
    const Forecast forecast(request_.compile, variants_.base(), variants_.base_steps());
    std::vector<Candidate> further;
    if (all[0].scope != Scope::whole) further = further_candidates(settings_, usual_tuning_);
    Shortlist list = shortlist(forecast, std::move(all), most_of_kind, further);
    for (std::string& site : forecast.surprising_sites())
      if (std::find(report_.surprising.begin(), report_.surprising.end(), site) == report_.surprising.end())
        report_.surprising.push_back(std::move(site));
    report_.unchanged += list.unchanged;
    report_.dropped.insert(report_.dropped.end(), list.dropped.begin(), list.dropped.end());
    return std::move(list.candidates);
  }

  void leave_out_hopeless(std::vector<Candidate>& list) {
    const auto hopeless = std::stable_partition(
        list.begin(), list.end(), [&](const Candidate& c) { return !experience_.is_hopeless(c, variants_.sites()); });
    for (auto c = hopeless; c != list.end(); c++) report_.hopeless.push_back(c->name);
    list.erase(hopeless, list.end());
  }

  void measure_all(const std::vector<Candidate>& list) {
    for (size_t i = 0; i < list.size(); i++) {
      if (!journal_.find(list[i].name) && stop_if_time_is_up(1)) continue;
      progress("measuring " + list[i].name, int(i), int(list.size()));
      measure(list[i]);
    }
  }

  // Unless a tuning that was killed did.
  void measure(const Candidate& candidate) {
    const Outcome* outcome = journal_.find(candidate.name);
    if (!outcome) outcome = &journal_.add(candidate.name, measured(everywhere(candidate, variants_.sites()), kTurns));
    note_failure(candidate.name, outcome->failure, outcome->interrupted);
    if (outcome->interrupted) return;
    (outcome->failure.empty() && outcome->regions.empty() ? report_.unchanged : report_.measured)++;
  }

  void note_failure(const std::string& name, const std::string& failure, bool interrupted) {
    if (!failure.empty()) (interrupted ? report_.interrupted : report_.failed).push_back(name + ": " + failure);
  }

  // Once more if something else interrupted it.
  Outcome measured(const Choices& choices, int turns) {
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome = variants_.measure(choices, turns);
    if (outcome.interrupted) outcome = variants_.measure(choices, turns);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    longest_s_ = std::max(longest_s_, seconds.count());
    return outcome;
  }

  std::vector<Winner> winners(const std::vector<Candidate>& list) const {
    return winners_among(list, journal_, variants_.run_ms());
  }

  // The constants of the whole program come first, because the other sites depend on them: those of the candidate that
  // saves the most in all regions, if its whole runs are faster.
  void choose_program(const std::vector<Candidate>& list) {
    measure_all(list);
    learn(list);  // now, because the journal is about other sites afterwards
    int tried = 0;
    for (const Candidate& candidate : most_saving(list, journal_, (1 - kFasterRun) * variants_.run_ms())) {
      if (tried++ == kMostPrograms || is_time_up()) return;
      if (!is_confirmed(candidate)) continue;
      variants_.extend_base(everywhere(candidate, variants_.sites()));
      journal_.set_program(candidate.name), program_ = candidate.name;
      return;
    }
  }

  // All that was measured of these candidates goes to LOG_AUTOTUNE and to later tunings.
  void learn(const std::vector<Candidate>& list) {
    if (settings_.log_autotune && request_.on_line)
      for (const std::string& line : choice_lines(list, journal_, settings_.autotune_num_choices_displayed))
        request_.on_line(line);
    experience_.add(list, journal_, model_name(), variants_.run_ms());
  }

  std::string model_name() const { return std::filesystem::path(request_.compile.model).filename().string(); }

  // Unless a tuning that was killed confirmed it.
  bool is_confirmed(const Candidate& candidate) {
    const std::string name = "whole runs of " + candidate.name;
    const Outcome* outcome = journal_.find(name);
    if (!outcome) {
      progress("measuring " + name, 0, 1);
      Outcome now = measured(everywhere(candidate, variants_.sites()), 1);
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

  static bool is_gain(const Variants::WholeRuns& whole) {
    const bool faster = whole.failure.empty() && whole.ratio < kFasterRun && whole.ms < whole.usual_ms;
    return faster && (!whole.under_load || whole.least_ms < kFasterRun * whole.least_usual_ms);
  }

  // Measures those that are not in the list, and adds them to it. Whether there were any.
  bool extend(std::vector<Candidate>& list, const std::vector<Candidate>& found) {
    std::vector<Candidate> more;
    for (const Candidate& c : found) {
      const auto same = [&](const Candidate& other) { return other.name == c.name; };
      if (std::none_of(list.begin(), list.end(), same) && std::none_of(more.begin(), more.end(), same))
        more.push_back(c);
    }
    measure_all(more);
    std::move(more.begin(), more.end(), std::back_inserter(list));
    return !more.empty();
  }

  // Measures the neighbours of constants that won anywhere, until they no longer win.
  void descend(std::vector<Candidate>& list) {
    for (int i = 0; i < kMostDescents; i++) {
      std::vector<Candidate> found;
      for (const Winner& w : winners(list))
        for (int64_t steps = 1; steps <= settings_.coordinate_descent_radius; steps++)
          for (Candidate& c : neighbours(w.candidate, usual_tuning_, int(steps))) found.push_back(std::move(c));
      if (!extend(list, found)) break;
    }
    if (!settings_.coordinate_descent_check_all_directions) return;
    std::vector<Candidate> pairs;
    const std::vector<Winner> won = winners(list);
    for (const Winner& a : won)
      for (const Winner& b : won)
        if (auto pair = both(a.candidate, b.candidate)) pairs.push_back(std::move(*pair));
    extend(list, pairs);
  }

  // All winners together, because the fastest of many measurements may have been fast by chance: those that are no
  // longer faster are dropped, and the others are kept only if whole runs are faster.
  void choose(const std::vector<Candidate>& list) {
    winners_ = winners(list);
    drop_spilling_winners();
    if (all_choices().empty()) return;
    progress("measuring all choices together", 0, 2);
    Outcome together = measured(choices_of(winners_, variants_.sites()), kMoreTurns);
    if (together.failure.empty() && confirm(winners_, together.regions))
      together = measured(choices_of(winners_, variants_.sites()), 1);
    note_failure("all choices together", together.failure, together.interrupted);
    if (!together.failure.empty() || all_choices().empty()) return;
    progress("measuring whole runs", 1, 2);
    const Variants::WholeRuns whole = variants_.time_whole(kWholeTurns);
    note_failure("whole runs", whole.failure, whole.interrupted);
    report_.usual_ms = whole.usual_ms, report_.ms = whole.ms;
    report_.kept = is_gain(whole), report_.under_load |= whole.under_load;
    for (const auto& [site, choice] : variants_.base())
      report_.sites.push_back({site, program_, {}, whole.usual_ms, whole.ms});
    for (ChangedSite& site : changed_sites(winners_, variants_.sites())) report_.sites.push_back(std::move(site));
  }

  // Constants of runs come last: they are kept if whole runs of the chosen kernels are faster with them.
  void choose_runs(const std::vector<Candidate>& list) {
    if (!report_.kept) variants_.drop_base(), winners_.clear();
    for (const Candidate& candidate : list) {
      if (stop_if_time_is_up(1)) continue;
      progress("measuring " + candidate.name, 0, 1);
      const std::string without = run_constants_;
      Choices before = all_choices();
      run_constants_ = without.empty() ? candidate.choice.tuning : without + "," + candidate.choice.tuning;
      const Variants::WholeRuns whole = variants_.compare_whole(std::move(before), all_choices(), kWholeTurns);
      note_failure(candidate.name, whole.failure, whole.interrupted);
      report_.measured += !whole.interrupted;
      const bool gained = is_gain(whole);
      report_.under_load |= whole.under_load;
      journal_.add(candidate.name, {gained ? "" : "is not faster", {}, whole.interrupted});
      if (gained)
        keep_run(candidate, whole);
      else
        run_constants_ = without;
    }
  }

  void keep_run(const Candidate& candidate, const Variants::WholeRuns& whole) {
    if (report_.kept)
      report_.ms *= whole.ratio;
    else
      report_.usual_ms = whole.usual_ms, report_.ms = whole.ms, report_.sites.clear();
    report_.kept = true;
    for (const SiteReport& site : variants_.sites()) {
      if (site.scope != Scope::whole) continue;
      const auto known = std::find_if(report_.sites.begin(), report_.sites.end(),
                                      [&](const ChangedSite& it) { return it.site == site.site; });
      if (known == report_.sites.end())
        report_.sites.push_back({site.site, candidate.name, {}, whole.usual_ms, whole.ms});
      else
        known->candidate += "," + candidate.name, known->ms *= whole.ratio;
    }
  }

  // Times of a few runs are noisy; a loop that spills registers is slower in the long run.
  void drop_spilling_winners() {
    if (winners_.empty()) return;
    progress("looking for spilled registers", 0, 1);
    const auto usual = variants_.loop_spills({});
    const auto chosen = variants_.loop_spills(choices_of(winners_, variants_.sites()));
    for (std::string& reason : drop_spilling(winners_, usual, chosen)) report_.failed.push_back(std::move(reason));
  }

  Choices all_choices() const {
    Choices all = choices_of(winners_, variants_.sites());
    all.insert(variants_.base().begin(), variants_.base().end());
    if (run_constants_.empty()) return all;
    for (const SiteReport& site : variants_.sites())
      if (site.scope == Scope::whole) {
        std::string& tuning = all[site.site].tuning;
        tuning += (tuning.empty() ? "" : ",") + run_constants_;
      }
    return all;
  }

  // Whether the choice was measured at the site, or what computes it, and is not faster there.
  bool is_refuted(const std::string& site, const schedule::Choice& choice, const std::vector<Candidate>& list) const {
    for (const Candidate& candidate : list) {
      const Outcome* outcome = candidate.choice == choice ? journal_.find(candidate.name) : nullptr;
      if (!outcome || outcome->interrupted) continue;
      for (const Region& r : outcome->regions)
        if (r.sites.count(site)) return !is_faster(r);
      return !outcome->failure.empty();
    }
    return false;
  }

  // Choices of earlier tunings for sites of the model, which compilations use: those that are not faster are refuted.
  void refute(const std::vector<Candidate>& list, std::vector<TuningResult>& results) {
    const ResultsBySite stored = results_in_use(results_, place_);
    const Choices chosen = report_.kept ? all_choices() : Choices();
    std::set<std::string> seen;
    for (const SiteReport& site : variants_.sites()) {
      const auto found = stored.find(site.site);
      if (found == stored.end() || !seen.insert(site.site).second) continue;
      const schedule::Choice& earlier = found->second.choice;
      const bool refuted = is_refuted(site.site, earlier, list);
      if (refuted) results.push_back({site.site, earlier, 0, 0, model_name(), key_, report_.under_load});
      if (chosen.contains(site.site)) continue;
      if (refuted)
        report_.withdrawn.push_back(site.site);
      else
        report_.others++;
    }
  }

  void store(const std::vector<Candidate>& list) {
    if (settings_.force_disable_caches) return;
    std::vector<TuningResult> results;
    refute(list, results);
    const std::string name = model_name();
    if (report_.kept) {
      const Choices choices = all_choices();
      for (const ChangedSite& site : report_.sites)
        results.push_back(
            {site.site, choices.at(site.site), site.usual_ms * 1e3, site.ms * 1e3, name, key_, report_.under_load});
    }
    const double usual_us = report_.usual_ms * 1e3;
    // Without this line, and with the journal, the next tuning of the model measures what is missing.
    const bool complete = !report_.stopped && report_.interrupted.empty();
    if (complete)
      results.push_back(
          {key_, {}, usual_us, report_.kept ? report_.ms * 1e3 : usual_us, name, key_, report_.under_load});
    append_tuning_results(results_, place_, results);
    if (!complete) return;
    experience_.save();
    journal_.remove();
    if (!remote_) return;
    remote_->set(remote_key(), tuning_lines(place_, results));
    remote_->flush();
  }
};

}  // namespace

TuneReport tune_model(const TuneRequest& request) { return Tuner(request).run(); }

}  // namespace cppgen::tune
