#pragma once
#include <deque>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "tests/import/model_maker.h"
#include "tests/run_time_sizes/exact.h"

namespace cppgen::sizes {

// A value of the model and what it is in each run.
struct Tracked {
  std::string name;
  std::vector<Exact> runs;

  Kind kind() const { return runs[0].kind; }
  size_t rank() const { return runs[0].rank(); }
};

using Attributes = std::map<std::string, std::variant<int64_t, std::string, std::vector<int64_t>>>;

// Grows a model and computes its values at the same time. A node is added only if it is defined in every run and its
// values stay small.
class Maker {
 public:
  static constexpr size_t kRuns = 3;

  explicit Maker(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15ull + 1), model_(20) {}

  int64_t uniform(int64_t lo, int64_t hi) { return lo + int64_t(random_() % uint64_t(hi - lo + 1)); }
  bool chance(double p) { return double(random_() % 1000) < 1000 * p; }

  void input(const std::string& name, Kind, const std::vector<std::string>& dims, std::vector<Exact> runs);
  // The same integers in each run.
  const Tracked& constant(const std::vector<int64_t>&, bool scalar = false);

  // Computes one result in a run from the operands in it.
  using Meaning = std::function<Result(const std::vector<const Exact*>&)>;
  // The new value, or null if the node does not fit. References to values stay valid.
  const Tracked* add(const std::string& op, const std::vector<const Tracked*>& operands, const Attributes&,
                     const Meaning&, int outputs = 1);

  // A value of which `fits` is true, preferably a late one; null if there is none.
  const Tracked* pick(const std::function<bool(const Tracked&)>& fits);
  const Tracked* number(size_t least_rank = 0, size_t most_rank = 4);
  const Tracked* size();  // a vector of one integer, which often only a run knows
  const std::deque<Tracked>& values() const { return values_; }
  const ModelMaker& model() const { return model_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const Tracked& named(const std::string& name) const;
  // Everything that no node reads, and a few more.
  void choose_outputs();
  const std::vector<std::string>& outputs() const { return outputs_; }

 private:
  std::mt19937_64 random_;
  ModelMaker model_;
  std::deque<Tracked> values_;
  std::vector<std::string> inputs_, outputs_;
  int names_ = 0;
};

// One way to add nodes; false if nothing fits.
struct Step {
  const char* name;
  int weight;
  bool (*append)(Maker&);
};
std::vector<Step> size_steps();      // integers that are sizes
std::vector<Step> movement_steps();  // by sizes that only a run knows
std::vector<Step> number_steps();    // arithmetic on what has such sizes

}  // namespace cppgen::sizes
