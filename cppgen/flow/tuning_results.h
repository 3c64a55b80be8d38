#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cppgen/flow/sites.h"
#include "cppgen/schedule/choices.h"
#include "isa/vec_isa.h"
#include "runtime/base/json_text.h"
#include "runtime/base/settings.h"

namespace cppgen {

// What tunings found (tune/tuner.h), kept in a file of lines of JSON, CACHE_DIR/tuning/results.jsonl, which models and
// processes share. Lines are only appended, each at once and under a lock, so that two tuners lose nothing and a line
// that a killed process left unfinished is all that is skipped. Of several results for one site, the one that gains the
// most holds, whichever process wrote it first; a result without a choice withdraws those before it.

// What results depend on besides the site: results of another CPU, instruction set, number of threads, compiler or
// version are never used.
struct TuningPlace {
  std::string cpu, isa;
  int threads = 1;
  std::vector<std::string> compiler;  // Toolchain::identity
  std::string version;                // of cppgen
};
TuningPlace tuning_place(const VecISA&, const Settings&);
Json to_json(const TuningPlace&);
bool is_from(const nlohmann::json& line, const TuningPlace&);  // whether the line of a file has all fields of the place

struct TuningResult {
  std::string site;         // schedule::site_of
  schedule::Choice choice;  // an empty one: the usual plan is the fastest
  double usual_us = 0;      // per run of the model, with the usual plan
  double best_us = 0;       // with the choice
  std::string model;        // the name of the file in which it was measured
};

std::string tuning_file(const Settings&);

// Of this place, in the order of the file. A file that does not exist holds none.
std::vector<TuningResult> read_tuning_results(const std::string& file, const TuningPlace&);

// Those that hold, by site.
std::map<std::string, TuningResult, std::less<>> results_in_force(std::vector<TuningResult>);

// Appends whole lines, under a lock; first ends a line that a killed process left unfinished. UserError if the file
// cannot be written.
void append_tuning_lines(const std::string& file, const std::string& lines);
void append_tuning_results(const std::string& file, const TuningPlace&, const std::vector<TuningResult>&);

// The lines of the file that are results, for other machines; the others cause warnings. UserError if it cannot be
// read.
std::string valid_tuning_lines(const std::string& file);

// The lines of a file of results.
std::string tuning_lines(const TuningPlace&, const std::vector<TuningResult>&);

// Appends all lines of results, of whatever place, that the file does not hold. Returns their number. UserError naming
// `source` and the line that is not a result.
int merge_tuning_results(const std::string& file, const std::string& lines, const std::string& source);

// The lines of those of this place whose choices the sites were compiled with: what a package contains of tunings, so
// that other caches can import it.
std::string results_in_use(const VecISA&, const Settings&, const schedule::Choices&, const std::vector<SiteReport>&);
inline constexpr const char* kBundledResults = "tuning.jsonl";  // their file in the package

// Removes a file with lines of results.
void clear_tuning_results(const std::string& file);

// The choices that a compilation uses: null if there are none. With DETERMINISTIC, those that may change the last bits
// of results are left out; with FORCE_DISABLE_CACHES, all are.
std::shared_ptr<const schedule::Choices> stored_choices(const VecISA&, const Settings&);

}  // namespace cppgen
