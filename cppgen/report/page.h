#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/explain/explain.h"

namespace cppgen::report {

// The measurements of a model.
struct Measurement {
  // Chunks of one step that a thread ran in a row.
  struct Slice {
    size_t step, lane;
    double begin_us, us;  // from the start of the run
    int64_t chunks;
  };
  std::vector<double> step_us;  // by step: all its calls in one run
  double run_us = 0;            // of the run that the slices show
  std::vector<std::string> lanes;
  std::vector<Slice> slices;
  std::string text;  // which run this is
};

struct PageContent {
  std::string title, summary;
  const Explanation& explanation;  // with drawings
  std::optional<Measurement> measurement;
};

// A page of HTML that shows all of it, by itself: no file or network is read.
std::string html_page(const PageContent&);

}  // namespace cppgen::report
