#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/tune/candidates.h"
#include "cppgen/tune/regions.h"

namespace cppgen::tune {

// The predictions of the cost model (flow/costs/step_bounds.h) for candidates before anything is compiled for them. It
// knows the instructions and the memory traffic of our own kernels, not those of other engines. A profile of the base
// corrects it: where a step takes longer than predicted, so do all plans of the same site, and where it takes much
// longer, the model is wrong, and so does not rule out another plan.
class Forecast {
 public:
  // `base`: choices that all predictions have in common. `profile`: the measured times of the base; none: not known.
  explicit Forecast(const CompileRequest&, schedule::Choices base = {}, const std::vector<StepTime>& profile = {});

  struct Gain {
    bool unchanged = false;   // the same kernels
    bool hopeless = false;    // every region that changes becomes clearly slower; of a whole program: it becomes slower
    bool surprising = false;  // a region that changes takes much longer than predicted
    double ms = 0;            // that a run would save at most, if each region kept the faster of both plans
  };
  // Nullopt if the model cannot say: the candidate changes kernels, but not by other constants.
  std::optional<Gain> of(const Candidate&) const;

  // Sites of which every step takes more than kSurprising times its prediction.
  static constexpr double kSurprising = 1.5;
  std::vector<std::string> surprising_sites() const;

 private:
  struct Predicted {
    std::vector<SiteReport> sites;
    std::vector<StepTime> steps;
  };
  CompileRequest request_;
  schedule::Choices base_;
  Predicted usual_;
  std::map<std::string, double> measured_ratio_;  // by site: of the measured time to the predicted one

  Predicted predict(schedule::Choices) const;
  double ratio_of(const Region&) const;
};

struct Shortlist {
  std::vector<Candidate> candidates;  // those with the largest predicted gain first, after those without prediction
  int unchanged = 0;
  std::vector<std::string> dropped;  // names of those that are hopeless
};
// Returns at most so many candidates of each kind. `further` are candidates that are worth a measurement only where the
// predictions are wrong.
Shortlist shortlist(const Forecast&, std::vector<Candidate>, int64_t most_of_kind,
                    const std::vector<Candidate>& further = {});

}  // namespace cppgen::tune
