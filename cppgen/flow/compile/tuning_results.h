#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cppgen/flow/compile/sites.h"
#include "cppgen/schedule/choices.h"
#include "isa/vec_isa.h"
#include "runtime/base/json_text.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The results of tunings (tune/tuner.h), kept in a file of lines of JSON, CACHE_DIR/tuning/results.jsonl, which models
// and processes share. Lines are only appended, each at once and under a lock, so that two tuners lose nothing and a
// line that a killed process left unfinished is all that is skipped. A result replaces earlier ones of the same
// tuning. Of the others for one site, the one that gains the most is used; a refutation withdraws earlier ones with
// its choice.

// The conditions that results depend on besides the site: results of another CPU, instruction set, number of threads,
// compiler or version are never used.
struct TuningPlace {
  std::string cpu, isa;
  int threads = 1;
  std::vector<std::string> compiler;  // Toolchain::identity
  std::string version;                // of cppgen
};
int threads_of_runs(const Settings&);  // THREADS, or as many as there are by default
TuningPlace tuning_place(const VecISA&, const Settings&);
Json to_json(const TuningPlace&);
bool is_from(const nlohmann::json& line, const TuningPlace&);  // whether the line of a file has all fields of the place

struct TuningResult {
  std::string site;         // schedule::site_of
  schedule::Choice choice;  // an empty one: the usual plan is the fastest
  double usual_us = 0;      // per run of the model, with the usual plan
  double best_us = 0;       // with the choice
  std::string model;        // the name of the file in which it was measured
  std::string by;           // the tuning that found it: the model, the settings and the place, hashed
  bool under_load = false;  // other programs disturbed every measurement of whole runs

  // The choice was tried again, and is not faster.
  bool is_refutation() const { return !(choice == schedule::Choice()) && usual_us == 0 && best_us == 0; }
};

std::string tuning_file(const Settings&);

// The results for this place, in the order of the file. A file that does not exist holds none.
std::vector<TuningResult> read_tuning_results(const std::string& file, const TuningPlace&);

// Those that were neither replaced nor refuted by later ones, without refutations.
std::vector<TuningResult> results_that_hold(const std::vector<TuningResult>&);

using ResultsBySite = std::map<std::string, TuningResult, std::less<>>;

// The results that compilations in this place use. Choices that may change bits are the same for any number of
// threads, so that results do not depend on it: they were measured with the number of threads for which they gain the
// most.
ResultsBySite results_in_use(const std::string& file, const TuningPlace&);

// Appends whole lines, under a lock; first ends a line that a killed process left unfinished. UserError if the file
// cannot be written.
void append_tuning_lines(const std::string& file, const std::string& lines);
void append_tuning_results(const std::string& file, const TuningPlace&, const std::vector<TuningResult>&);

// The lines of the file that are results, for other machines; the others cause warnings. UserError if it cannot be
// read.
std::string valid_tuning_lines(const std::string& file);

// The lines of a file of results.
std::string tuning_lines(const TuningPlace&, const std::vector<TuningResult>&);

// Appends the lines that hold among these, of whatever place, and that the file does not have: what was replaced or
// refuted elsewhere is no news here. Returns their number. UserError naming `source` and the line that is not a result.
int merge_tuning_results(const std::string& file, const std::string& lines, const std::string& source);

// The lines of those of this place whose choices the sites were compiled with: what a package contains of tunings, so
// that other caches can import it.
std::string used_tuning_lines(const VecISA&, const Settings&, const schedule::Choices&, const std::vector<SiteReport>&);
inline constexpr const char* kBundledResults = "tuning.jsonl";  // their file in the package

// FLUSH_PROFILE_CACHE: removes all that tunings have stored, also what they learned and what interrupted ones measured.
void clear_tunings(const Settings&);

// The choices that a compilation uses: null if there are none. With DETERMINISTIC, those that may change the last bits
// of results are left out; with FORCE_DISABLE_CACHES, all are.
std::shared_ptr<const schedule::Choices> stored_choices(const VecISA&, const Settings&);

}  // namespace cppgen
