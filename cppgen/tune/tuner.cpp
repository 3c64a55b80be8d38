#include "cppgen/tune/tuner.h"

#include <algorithm>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/tune/decision.h"
#include "cppgen/tune/measurements.h"
#include "cppgen/tune/refutations.h"
#include "cppgen/tune/selection.h"
#include "cppgen/tune/tuning_store.h"

namespace cppgen::tune {
namespace {

using Scope = schedule::TuningScope;

// The flow of a tuning: candidates are selected, measured, chosen from, and what was found is stored.
class Tuner {
 public:
  explicit Tuner(const TuneRequest& request)
      : request_(request),
        settings_(request.compile.settings),
        place_(tuning_place(likely_isa(settings_), settings_)),
        store_(request, place_),
        measurements_(request, journal_file(), report_),
        selection_(request, place_, measurements_, report_),
        decision_(measurements_, report_) {}

  TuneReport run() {
    if (find_known()) return std::move(report_);
    report_ = {};
    std::vector<Candidate> list = selection_.all();
    measurements_.progress("compiling the usual kernels", 0, int(list.size()));
    measurements_.variants().compile_usual();
    if (settings_.ci_flag && !settings_.force_profile) return compile_only(list);
    if (!settings_.force_disable_caches) store_.require_writable();  // fails now, not after all measurements
    const std::vector<Candidate> of_runs = take(list, Scope::run), of_programs = take(list, Scope::whole);
    // Each candidate of a whole program also changes kernels, so both share the maximum for a kernel.
    const int64_t most = settings_.autotune_max_candidates;
    const std::vector<Candidate> programs = selection_.shortlisted(of_programs, most / 2);
    measurements_.measure_all(programs);
    selection_.learn(programs);  // now, because the journal is about other sites afterwards
    decision_.choose_program(programs);
    list = selection_.shortlisted(std::move(list), most - int64_t(programs.size()));
    measurements_.measure_all(list);
    if (settings_.coordinate_descent_tuning) selection_.descend(list);
    selection_.learn(list);
    decision_.choose_sites(list);
    decision_.choose_runs(of_runs);
    list.insert(list.end(), of_runs.begin(), of_runs.end());
    if (!settings_.force_disable_caches) store(list);
    return std::move(report_);
  }

 private:
  const TuneRequest& request_;
  const Settings& settings_;
  const TuningPlace place_;
  TuneReport report_;
  const TuningStore store_;
  Measurements measurements_;
  Selection selection_;
  Decision decision_;

  std::string journal_file() const {
    return settings_.force_disable_caches ? "" : settings_.cache_dir + "/tuning/" + store_.key() + ".jsonl";
  }

  // The result of an earlier tuning of the whole model, here or on a machine with the same remote cache.
  bool find_known() {
    if (settings_.force_profile || !store_.find(report_)) return false;
    if (!report_.under_load || is_machine_busy({.threads = place_.threads, .source = request_.load})) return true;
    report_ = {};
    if (request_.on_note) request_.on_note("the machine was busy when the model was tuned before: measuring again");
    return false;
  }

  // Those of the scope, which the list then lacks.
  static std::vector<Candidate> take(std::vector<Candidate>& list, Scope scope) {
    const auto end =
        std::stable_partition(list.begin(), list.end(), [&](const Candidate& c) { return c.scope != scope; });
    std::vector<Candidate> taken(end, list.end());
    list.erase(end, list.end());
    return taken;
  }

  TuneReport compile_only(const std::vector<Candidate>& list) {
    const Variants& variants = measurements_.variants();
    for (size_t i = 0; i < std::min<size_t>(2, list.size()); i++) {
      measurements_.progress("compiling " + list[i].name, int(i), 2);
      variants.compile(everywhere(list[i], variants.sites()), "candidate");
    }
    return std::move(report_);
  }

  void store(const std::vector<Candidate>& list) {
    std::vector<TuningResult> results;
    refute(list, results);
    const std::string name = model_name(request_);
    if (report_.kept) {
      const schedule::Choices choices = decision_.choices();
      for (const ChangedSite& site : report_.sites)
        results.push_back({site.site, choices.at(site.site), site.usual_ms * 1e3, site.ms * 1e3, name, store_.key(),
                           report_.under_load});
    }
    const double usual_us = report_.usual_ms * 1e3;
    // Without this line, and with the journal, the next tuning of the model measures what is missing.
    const bool complete = !report_.stopped && report_.interrupted.empty();
    if (complete)
      results.push_back({store_.key(),
                         {},
                         usual_us,
                         report_.kept ? report_.ms * 1e3 : usual_us,
                         name,
                         store_.key(),
                         report_.under_load});
    store_.add(results);
    if (!complete) return;
    selection_.save();
    measurements_.journal().remove();
    store_.share(results);
  }

  // Choices of earlier tunings for sites of the model that are not faster.
  void refute(const std::vector<Candidate>& list, std::vector<TuningResult>& results) {
    const schedule::Choices chosen = report_.kept ? decision_.choices() : schedule::Choices();
    EarlierChoices earlier =
        judge_earlier_choices(store_.in_use(), measurements_.variants().sites(), chosen, list, measurements_.journal());
    for (const auto& [site, choice] : earlier.refuted)
      results.push_back({site, choice, 0, 0, model_name(request_), store_.key(), report_.under_load});
    report_.withdrawn = std::move(earlier.withdrawn);
    report_.others = earlier.others;
  }
};

}  // namespace

TuneReport tune_model(const TuneRequest& request) { return Tuner(request).run(); }

}  // namespace cppgen::tune
