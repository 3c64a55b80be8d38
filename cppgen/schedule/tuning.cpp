#include "cppgen/schedule/tuning.h"

namespace cppgen::schedule {
namespace {

constexpr TuningRow row(std::string_view name, std::string_view text, bool changes_bits, int64_t Tuning::*member) {
  return {name, text, changes_bits, member, nullptr};
}
constexpr TuningRow row(std::string_view name, std::string_view text, bool changes_bits, double Tuning::*member) {
  return {name, text, changes_bits, nullptr, member};
}

constexpr TuningRow kRows[] = {
#define CPPGEN_TUNING(type, name, value, text) row(#name, text, false, &Tuning::name),
#define CPPGEN_BIT_TUNING(type, name, value, text) row(#name, text, true, &Tuning::name),
#include "cppgen/schedule/tuning.def"
};

}  // namespace

std::span<const TuningRow> tuning_rows() { return kRows; }

}  // namespace cppgen::schedule
