#pragma once
#include <string>
#include <vector>

#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/tune/candidates.h"
#include "cppgen/tune/journal.h"

namespace cppgen::tune {

// The effect of a candidate on one region of a model, or to the model as a whole.
struct Observation {
  std::string candidate;           // its name
  std::vector<std::string> kinds;  // of the region's sites: "conv", "max_pool"; "program"
  std::string model;               // the name of its file
  double ratio = 1;                // of the time with the candidate to the usual time
};

// All that tunings in a place observed, in lines of JSON, from which later ones learn what is not worth a measurement:
// the rule is that a candidate is hopeless for a kind of sites if it has been observed there often enough, in more than
// one model, and was never faster.
class Experience {
 public:
  Experience(std::string file, const TuningPlace&);

  // Returns whether the candidate is hopeless for all sites of its scope.
  bool is_hopeless(const Candidate&, const std::vector<SiteReport>&) const;

  // Adds what was measured of these candidates. `run_ms`: of the whole model.
  void add(const std::vector<Candidate>&, const Journal&, const std::string& model, double run_ms);
  // Appends what was added to the file, once, when a tuning has ended. A file that cannot be written is a warning.
  void save();

  // The judgement of the rule about a candidate and a kind of sites.
  struct Row {
    std::string candidate, kind;
    int observed = 0, faster = 0;
    double best = 1;  // the least ratio
    bool hopeless = false;
  };
  std::vector<Row> rows() const;

  // States how the rule does on models that it has not seen: each is judged by the observations of all others.
  struct Misses {
    int observed = 0;
    int skipped = 0;              // what the rule would not have measured
    std::vector<Observation> of;  // those of them that were faster
  };
  Misses misses() const;

 private:
  std::string file_;
  TuningPlace place_;
  std::vector<Observation> all_;
  size_t saved_ = 0;  // how many of them the file has
};

std::string experience_file(const Settings&);

}  // namespace cppgen::tune
