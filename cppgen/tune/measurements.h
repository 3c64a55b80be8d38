#pragma once
#include <string>
#include <vector>

#include "cppgen/tune/candidates.h"
#include "cppgen/tune/journal.h"
#include "cppgen/tune/tuner.h"
#include "cppgen/tune/variants.h"

namespace cppgen::tune {

// The measurements of one tuning, until its deadline. What a tuning that was killed measured is in the journal and not
// measured again. Failures and numbers are told by the report.
class Measurements {
 public:
  Measurements(const TuneRequest&, const std::string& journal_file, TuneReport&);

  Variants& variants() { return variants_; }
  const Variants& variants() const { return variants_; }
  Journal& journal() { return journal_; }
  const Journal& journal() const { return journal_; }

  void progress(const std::string& what, int done, int total) const;

  // Returns whether no more than the final comparison of what was chosen fits before the deadline. It measures more
  // often than a candidate is measured, and whole runs as well.
  bool is_time_up() const;
  // Returns whether that holds if so many candidates are left, which the report then counts.
  bool stop_if_time_is_up(size_t left);

  void measure_all(const std::vector<Candidate>&);
  // Once more if something else interrupted it.
  Outcome measure(const schedule::Choices&, int turns);
  // Returns whether whole runs are faster with the candidate.
  bool is_confirmed(const Candidate&);

  void note_failure(const std::string& name, const std::string& failure, bool interrupted);

 private:
  const TuneRequest& request_;
  TuneReport& report_;
  Variants variants_;
  Journal journal_;
  double longest_s_ = 0;  // of a measurement

  void measure_once(const Candidate&);
};

inline constexpr int kWholeTurns = 9;  // of whole runs

// Returns whether the choices make whole runs faster.
bool is_gain(const Variants::WholeRuns&);

}  // namespace cppgen::tune
