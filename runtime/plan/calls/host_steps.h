#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Parameters of the steps of a module that are not function calls.

// HostOp::plan.
struct PlanStepCall {
  std::vector<int64_t> string_outputs;  // positions of outputs that are string handles

  template <class V>
  void fields(V& v) {
    v.sizes("outputs of strings", string_outputs);
  }
};

// An input that a Scan splits or an output that it stacks.
struct ScanSlice {
  int64_t axis = 0;
  bool backwards = false;

  template <class V>
  void fields(V& v) {
    v.value("axis", axis), v.value("backwards", backwards);
  }
};

// HostOp::scan.
struct ScanCall {
  bool batched = false;  // everything has a leading batch dimension
  std::vector<ScanSlice> scanned, stacked;

  template <class V>
  void fields(V& v) {
    v.value("batched", batched), v.records("scanned inputs", scanned, SIZE_MAX);
    v.records("stacked outputs", stacked, SIZE_MAX);
  }
};

}  // namespace cppgen::rt
