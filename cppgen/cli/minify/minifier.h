#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/cli/minify/model_values.h"
#include "cppgen/cli/minify/trial.h"
#include "cppgen/import/model_cutter.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/settings.h"

namespace cppgen {

// Names the pass that a fault depends on.
struct NeededPass {
  std::string first;   // with those before it, it is enough for the fault to appear; empty: the fault needs none
  bool alone = false;  // it disappears if only this pass is disabled
  bool known = false;  // there was time to find out
};

// Shrinks a model that shows a fault. Whenever it becomes smaller, the smallest model so far is written to the output
// folder: it stays if the work is interrupted.
class Minifier {
 public:
  Minifier(const MinifyOptions&, const Settings&, const CancelToken&);

  // Looks for a fault of the whole model; `none` if it has none of those that are asked for. UserError if the model is
  // refused, or if a trial of it proves nothing.
  Outcome find();
  void shrink();
  NeededPass find_pass();

  const Outcome& outcome() const { return outcome_; }  // of the smallest model
  const CutModel& smallest() const { return best_; }
  std::vector<std::string> nodes() const;  // of the smallest model, "Relu 'the_relu'"
  size_t nodes_before() const { return nodes_before_; }
  bool has_results() const { return values_->has_results(); }
  bool in_time() const;
  int trials() const { return trials_.count(); }
  double seconds() const;
  const std::string& output() const { return output_; }
  std::string input_option(size_t input) const;  // "x=x.fault/in_0.npy"

 private:
  static void say(const std::string& text);
  void record_values();
  std::vector<std::string> sizes_of_run() const;
  Outcome find_in(const CutModel& whole);
  Outcome try_cut(const CutModel&, const Overrides&);
  bool shows(const std::vector<size_t>& nodes, const CutOptions&);
  void shrink_whole();
  void shrink_nodes();
  void shrink_outputs();
  // Another model that may take the place of the one that is shrunk.
  struct Opened {
    ModelCutter cutter;
    ModelValues values;
    CutOptions options;
  };
  std::optional<Trials::Inputs> files_for(const std::vector<std::string>& inputs) const;
  std::optional<Opened> opened(const std::string& model);
  void exchange(Opened&);
  bool open_one();  // whether the fault is in a body, whose nodes are the smallest model now
  void open_bodies();
  std::vector<std::string> passes() const;  // that may be disabled, in their order
  Overrides without_passes(const std::vector<std::string>&) const;
  bool shows_without(const std::vector<std::string>& passes);  // whether the smallest model shows the fault
  std::optional<std::string> first_needed_pass(double until);
  void disable_passes();
  void accept(CutModel, Outcome);
  bool is_asked_for(Fault) const;
  bool is_same(const Outcome&) const;
  double limit() const;
  double hang_seconds() const;
  Outcome decided(Outcome) const;
  Overrides with(const Overrides&) const;  // those of all trials, and these
  std::vector<size_t> all_nodes() const;

  const MinifyOptions& options_;
  const Settings& settings_;
  const double begin_;
  const std::string output_;
  const TempDirectory folder_;
  Overrides common_;  // for all trials
  Overrides quick_;   // for trials that look for the fault, as long as they keep it
  ModelCutter cutter_;
  const size_t nodes_before_;  // of the whole model
  Trials trials_;
  std::optional<ModelValues> values_;
  CutOptions cut_options_{true, false, {}};
  CutModel best_;
  Outcome outcome_;
  std::optional<std::string> first_pass_;  // that the fault needs, "" if it needs none, nullopt if this is not known
  int opened_ = 0;                         // bodies that were tried
  std::vector<Opened> outer_;              // the models whose bodies were opened, the whole one first
  double least_factor_ = 0;                // of the slow kernel of the whole model
  std::optional<double> interpreter_s_;    // time of the whole model on the interpreter
  bool undecided_ = false;                 // a trial since this was reset proves nothing
  std::set<std::pair<std::vector<size_t>, std::set<std::string>>> tried_;
};

}  // namespace cppgen
