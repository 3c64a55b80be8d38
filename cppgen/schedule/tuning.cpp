#include "cppgen/schedule/tuning.h"

#include "cppgen/schedule/number_list.h"

namespace cppgen::schedule {
namespace {

constexpr TuningRow row(std::string_view name, std::string_view text, TuningScope scope, bool changes_bits,
                        int64_t Tuning::*member) {
  return {name, text, scope, changes_bits, member, nullptr};
}
constexpr TuningRow row(std::string_view name, std::string_view text, TuningScope scope, bool changes_bits,
                        double Tuning::*member) {
  return {name, text, scope, changes_bits, nullptr, member};
}

constexpr TuningRow kRows[] = {
#define CPPGEN_TUNING(type, name, value, scope, text) row(#name, text, TuningScope::scope, false, &Tuning::name),
#define CPPGEN_BIT_TUNING(type, name, value, scope, text) row(#name, text, TuningScope::scope, true, &Tuning::name),
#include "cppgen/schedule/tuning.def"
};

double value_in(const Tuning& tuning, const TuningRow& row) {
  return row.integer ? double(tuning.*row.integer) : tuning.*row.number;
}

}  // namespace

Tuning tuned(const Tuning& defaults, std::string_view text) {
  NumberList list{"TUNING", "cppgen/schedule/tuning.def", kMostTuningFactor, {}};
  for (const TuningRow& row : kRows)
    list.numbers.push_back({row.name, row.integer != nullptr, value_in(defaults, row)});
  Tuning tuning = defaults;
  for (const auto& [position, value] : read_numbers(list, text)) {
    const TuningRow& row = kRows[position];
    if (row.integer)
      tuning.*row.integer = int64_t(value);
    else
      tuning.*row.number = value;
  }
  return tuning;
}

std::span<const TuningRow> tuning_rows() { return kRows; }

}  // namespace cppgen::schedule
