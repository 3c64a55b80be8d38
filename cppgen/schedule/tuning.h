#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace cppgen::schedule {

// The constants of fusion, engines and kernel plans (tuning.def). They decide how fast kernels are, never whether they
// are right.
struct Tuning {
#define CPPGEN_TUNING(type, name, value, text) type name;
#include "cppgen/schedule/tuning.def"
#undef CPPGEN_TUNING

  // For vectors of this many float32 lanes.
  explicit Tuning(int lanes = 16) {
#define CPPGEN_TUNING(type, name, value, text) name = type(value);
#include "cppgen/schedule/tuning.def"
#undef CPPGEN_TUNING
    (void)lanes;
  }
  bool operator==(const Tuning&) const = default;
};

// A row of tuning.def. Exactly one of the two members is not null.
struct TuningRow {
  std::string_view name, text;
  int64_t Tuning::*integer = nullptr;
  double Tuning::*number = nullptr;
};
std::span<const TuningRow> tuning_rows();

}  // namespace cppgen::schedule
