#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Parameters of the steps of a module that are no calls of functions.

// HostOp::plan.
struct PlanStepCall {
  std::vector<int64_t> string_outputs;  // positions of outputs that are handles of strings

  template <class V>
  void fields(V& v) {
    v.sizes("outputs of strings", string_outputs);
  }
};

// What a Scan takes apart or stacks.
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
  bool batched = false;  // everything has a batch dimension in front
  std::vector<ScanSlice> scanned, stacked;

  template <class V>
  void fields(V& v) {
    v.value("batched", batched), v.records("scanned inputs", scanned, SIZE_MAX);
    v.records("stacked outputs", stacked, SIZE_MAX);
  }
};

}  // namespace cppgen::rt
