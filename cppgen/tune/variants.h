#pragma once
#include <map>
#include <string>

#include "cppgen/support/load_meter.h"
#include "cppgen/support/temp_directory.h"
#include "cppgen/tune/journal.h"
#include "cppgen/tune/package_runs.h"
#include "cppgen/tune/tuner.h"

namespace cppgen::tune {

// Variants of a model: packages that differ in their choices, compared with a base, at first the package of the usual
// plans. Functions that run packages throw Cancelled.
class Variants {
 public:
  explicit Variants(const TuneRequest&);

  // Compiles and times the usual package. UserError if it does not run.
  void compile_usual();
  // Makes these choices, with which a variant has run, part of the base, and so of all further variants. UserError if
  // they do not run now.
  void extend_base(const schedule::Choices&);
  const schedule::Choices& base() const { return base_choices_; }
  const std::vector<SiteReport>& sites() const { return base_.report.sites; }  // those of the base
  double run_ms() const { return base_times_.run_ms; }                         // median of whole runs of the base
  const std::vector<StepTime>& base_steps() const { return base_times_.steps; }

  // Compiles, without running anything.
  CompiledModel compile(schedule::Choices, const std::string& name) const;
  // Vector registers that the innermost loops of each site's kernels spill.
  std::map<std::string, int64_t> loop_spills(schedule::Choices) const;
  // Compiles, verifies and times: the regions whose code differs, after so many turns with the base, and more until
  // nothing disturbed that many and the same regions are faster twice in a row.
  Outcome measure(schedule::Choices, int turns) const;
  // Whole runs of the package that was measured last and of the usual one, in turns: medians in milliseconds.
  struct WholeRuns {
    std::string failure;  // why one of them gave no times; empty: they ran
    double usual_ms = 0, ms = 0;
    double ratio = 1;          // the median of the ratios of all turns
    bool interrupted = false;  // the failure is none of the package
    // Too few turns were undisturbed, so all count. The least times are then what other programs disturbed least.
    bool under_load = false;
    double least_usual_ms = 0, least_ms = 0;
  };
  WholeRuns time_whole(int turns) const;
  // Compares packages with these choices, which are compiled, and the second one verified.
  WholeRuns compare_whole(schedule::Choices before, schedule::Choices after, int turns) const;
  void drop_base() { base_choices_.clear(); }  // for all further variants

 private:
  const TuneRequest& request_;
  TempDirectory directory_;
  PackageRuns runs_;
  CompiledModel base_;
  schedule::Choices base_choices_;
  PackageTimes base_times_;
  const LoadRule load_rule_;

  std::string folder(const std::string& name) const { return directory_.path() + "/" + name; }
  CompileRequest request_for(schedule::Choices, const std::string& name) const;
  int run_count() const;
  void time_base();
  WholeRuns time_whole(const std::string& usual, int turns) const;
  std::vector<Region> timed(const std::vector<SiteReport>&, int turns) const;
};

}  // namespace cppgen::tune
