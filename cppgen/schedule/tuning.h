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

  // For vectors of this many float32 lanes.
  explicit Tuning(int lanes) {
#define CPPGEN_TUNING(type, name, value, text) name = type(value);
#include "cppgen/schedule/tuning.def"
    (void)lanes;
  }
  bool operator==(const Tuning&) const = default;
};

// A row of tuning.def. Exactly one of the two members is not null.
struct TuningRow {
  std::string_view name, text;
  bool changes_bits;  // of results, but no more than rounding does
  int64_t Tuning::*integer = nullptr;
  double Tuning::*number = nullptr;
};
std::span<const TuningRow> tuning_rows();

// Other values of some rows: "NAME=VALUE,NAME=VALUE", each from a quarter to four times the value in `defaults`.
// UserError for anything else.
Tuning tuned(const Tuning& defaults, std::string_view text);

}  // namespace cppgen::schedule
