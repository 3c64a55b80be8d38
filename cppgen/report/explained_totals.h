#pragma once
#include <numeric>
#include <string>
#include <vector>

#include "cppgen/flow/explain/explain.h"

namespace cppgen::report {

// The sum over all calls of all steps in a run.
template <class Value>
double sum_over(const std::vector<Explanation::Step>& steps, const Value& value) {
  return std::accumulate(steps.begin(), steps.end(), 0.0, [&](double sum, const Explanation::Step& step) {
    return sum + step.cost.calls * value(step);
  });
}

// Nanoseconds of one call; 0 of steps on the host.
inline double bound_ns(const Explanation::Step& step) { return step.bound ? step.bound->ns() : 0; }
inline double predicted_ns(const Explanation::Step& step) { return step.bound ? step.bound->predicted_ns : 0; }

// The nodes with bodies whose runs depend on data.
std::vector<std::string> control_flow(const Explanation&);

// Names and nodes of the steps that run on the host, between plans, each once.
std::vector<std::string> host_operators(const Explanation&);

// Those that take more than twice their bound, and more than a hundredth of all steps beyond it; the largest first.
std::vector<const StoredProfile::Step*> far_steps(const StoredProfile&);

}  // namespace cppgen::report
