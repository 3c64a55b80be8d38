#pragma once
#include <optional>
#include <vector>

#include "cppgen/tune/candidates.h"
#include "cppgen/tune/regions.h"

namespace cppgen::tune {

// What the cost model (flow/step_bounds.h) says of candidates before anything is compiled for them. It knows the
// instructions and the memory traffic of our own kernels, not those of other engines.
class Forecast {
 public:
  // `base`: choices that all predictions have in common.
  explicit Forecast(const CompileRequest&, schedule::Choices base = {});

  struct Gain {
    bool unchanged = false;  // the same kernels
    bool hopeless = false;   // every region that changes becomes clearly slower; of a whole program: it becomes slower
    double ms = 0;           // that a run would save at most, if each region kept the faster of both plans
  };
  // Nullopt if the model cannot say: the candidate sets no constants.
  std::optional<Gain> of(const Candidate&) const;

 private:
  struct Predicted {
    std::vector<SiteReport> sites;
    std::vector<StepTime> steps;
  };
  CompileRequest request_;
  schedule::Choices base_;
  Predicted usual_;

  Predicted predict(schedule::Choices) const;
};

struct Shortlist {
  std::vector<Candidate> candidates;  // those with the largest predicted gain first, after those without prediction
  int unchanged = 0;
  std::vector<std::string> dropped;  // names of those that are hopeless
};
// At most so many candidates of each kind.
Shortlist shortlist(const Forecast&, std::vector<Candidate>, int64_t most_of_kind);

}  // namespace cppgen::tune
