#pragma once
#include <string>
#include <vector>

#include "cppgen/tune/variants.h"
#include "cppgen/tune/winners.h"

namespace cppgen::tune {

class Measurements;

// The choice of a tuning among candidates that were measured. The report tells whether it is kept, and for which sites.
class Decision {
 public:
  Decision(Measurements& measurements, TuneReport& report) : measurements_(measurements), report_(report) {}

  // The constants of the whole program come first, because the other sites depend on them: those of the candidate that
  // saves the most in all regions, if its whole runs are faster.
  void choose_program(const std::vector<Candidate>&);
  // All winners together, because the fastest of many measurements may have been fast by chance: those that are no
  // longer faster are dropped, and the others are kept only if whole runs are faster.
  void choose_sites(const std::vector<Candidate>&);
  // Constants of runs come last: they are kept if whole runs of the chosen kernels are faster with them.
  void choose_runs(const std::vector<Candidate>&);

  schedule::Choices choices() const;

 private:
  Measurements& measurements_;
  TuneReport& report_;
  std::string program_;  // the candidate that is part of the base; empty: none
  std::vector<Winner> winners_;
  std::string run_constants_;  // that were chosen, in the format of TUNING

  const std::vector<SiteReport>& sites() const;
  void drop_spilling_winners();
  void try_for_runs(const Candidate&);
  void keep_run(const Candidate&, const Variants::WholeRuns&);
};

}  // namespace cppgen::tune
