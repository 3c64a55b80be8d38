#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cppgen/tune/experience.h"
#include "cppgen/tune/tuner.h"

namespace cppgen::tune {

class Measurements;

// Decides which candidates are worth a measurement: not those that earlier tunings and the cost model rule out, and the
// neighbours of those that won.
class Selection {
 public:
  Selection(const TuneRequest&, const TuningPlace&, Measurements&, TuneReport&);

  // The number of candidates that the settings ask for. The report tells how many of them an earlier tuning measured.
  std::vector<Candidate> all() const;

  // Those with the largest predicted gain, and at most so many of each kind; none after the deadline.
  std::vector<Candidate> shortlisted(std::vector<Candidate>, int64_t most_of_kind);

  // Measures the neighbours of constants that won anywhere, until they no longer win, and adds them to the list.
  void descend(std::vector<Candidate>&);

  // All that was measured of these candidates goes to LOG_AUTOTUNE and to later tunings, once these are saved.
  void learn(const std::vector<Candidate>&);
  void save() { experience_.save(); }

 private:
  const TuneRequest& request_;
  const Settings& settings_;
  Measurements& measurements_;
  TuneReport& report_;
  const schedule::Tuning usual_tuning_;
  Experience experience_;

  void leave_out_hopeless(std::vector<Candidate>&);
  bool extend(std::vector<Candidate>& list, const std::vector<Candidate>& found);
};

std::string model_name(const TuneRequest&);  // the name of its file

}  // namespace cppgen::tune
