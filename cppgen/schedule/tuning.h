#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace cppgen::schedule {

// The constants of fusion, engines and kernel plans (tuning.def). They decide how fast kernels are, never whether they
// are right.
struct Tuning {
#define CPPGEN_TUNING(type, name, value, scope, text) type name;
#include "cppgen/schedule/tuning.def"

  // Takes the number of float32 lanes of vectors.
  explicit Tuning(int lanes) {
#define CPPGEN_TUNING(type, name, value, scope, text) name = type(value);
#include "cppgen/schedule/tuning.def"
    (void)lanes;
  }
  bool operator==(const Tuning&) const = default;
};

// The kinds of decisions that a constant makes. The plan of a single site reads those of a site, so they can be
// measured and chosen for each site (choices.h); all others also decide about other sites, or another value is rarely
// faster for a single one, so they are chosen for a whole program. So are those of a run, which belong to the plan and
// change no kernel.
enum class TuningScope : uint8_t { site_contraction, site_other, whole, run };
inline constexpr const char* name_of(TuningScope scope) {
  switch (scope) {
    case TuningScope::site_contraction:
      return "contractions";
    case TuningScope::site_other:
      return "other kernels";
    case TuningScope::whole:
      return "whole program";
    case TuningScope::run:
      return "runs";
  }
  return "";
}

// Values may be from a quarter to four times the default; random graphs are tested with such values.
constexpr double kMostTuningFactor = 4;

// A row of tuning.def. Exactly one of the two members is not null.
struct TuningRow {
  std::string_view name, text;
  TuningScope scope;
  bool changes_bits;  // of results, but no more than rounding does
  int64_t Tuning::*integer = nullptr;
  double Tuning::*number = nullptr;
};
std::span<const TuningRow> tuning_rows();

// Other values of some rows: "NAME=VALUE,NAME=VALUE", each within kMostTuningFactor of the value in `defaults`.
// UserError for anything else.
Tuning tuned(const Tuning& defaults, std::string_view text);

}  // namespace cppgen::schedule
