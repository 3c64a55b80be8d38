#include "cppgen/schedule/tuning.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

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

const TuningRow& row_named(std::string_view name) {
  const auto it =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const TuningRow& row) { return row.name == name; });
  if (it == std::end(kRows)) user_error("TUNING: there is no constant '{}' in cppgen/schedule/tuning.def", name);
  return *it;
}

void set(Tuning& tuning, const TuningRow& row, std::string_view text) {
  const double usual = row.integer ? double(tuning.*row.integer) : tuning.*row.number;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (!is_number || (row.integer && value != std::floor(value)) || value < usual / kMostTuningFactor ||
      value > usual * kMostTuningFactor)
    user_error("TUNING: {}={}: allowed are {} from {:g} to {:g}", row.name, text, row.integer ? "integers" : "numbers",
               usual / kMostTuningFactor, usual * kMostTuningFactor);
  if (row.integer)
    tuning.*row.integer = int64_t(value);
  else
    tuning.*row.number = value;
}

}  // namespace

Tuning tuned(const Tuning& defaults, std::string_view text) {
  Tuning tuning = defaults;
  std::set<std::string_view> given;
  for (const std::string& item : setting_values::split(text, ',')) {
    const size_t equals = item.find('=');
    if (equals == item.npos) user_error("TUNING: '{}': expected NAME=VALUE", item);
    const TuningRow& row = row_named(std::string_view(item).substr(0, equals));
    if (!given.insert(row.name).second) user_error("TUNING: {} is given twice", row.name);
    set(tuning, row, std::string_view(item).substr(equals + 1));
  }
  return tuning;
}

std::span<const TuningRow> tuning_rows() { return kRows; }

}  // namespace cppgen::schedule
