#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/kernels/contraction_cases.h"
#include "bench/report/samples.h"

namespace cppgen::bench {

// One way to compute one case.
struct ContenderResult {
  std::string name, implementation;
  Samples seconds;
  double error = 0;  // max |difference| over max |expected|: against the first one, and against sums in double
};

struct CaseResult {
  ContractionCase contraction;
  int threads = 1;
  Samples flop_rate;  // of multiply-adds on registers, measured in turns with the case
  Samples byte_rate;  // of reading as much as the weights; only if the case is bound by memory
  std::vector<ContenderResult> contenders;

  const ContenderResult* find(const std::string& name) const;
  // The share of the measured limit: arithmetic, or bandwidth of cases that are bound by it. Medians over the median,
  // and with `best` the fastest run over the highest rate, for machines with other load.
  double share(const ContenderResult&, bool best = false) const;
  double limit_seconds(bool best) const;
};

struct ContractionReport {
  std::string isa;
  std::vector<CaseResult> cases;
};

void print_heading(const CaseResult&);
void print_row(const CaseResult&);
// Geometric means per list and number of threads.
void print_means(const ContractionReport&);
std::string json_text(const ContractionReport&);
std::string svg_text(const ContractionReport&);

}  // namespace cppgen::bench
