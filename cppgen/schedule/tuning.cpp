#include "cppgen/schedule/tuning.h"

namespace cppgen::schedule {
namespace {

constexpr TuningRow row(std::string_view name, std::string_view text, int64_t Tuning::*member) {
  return {name, text, member, nullptr};
}
constexpr TuningRow row(std::string_view name, std::string_view text, double Tuning::*member) {
  return {name, text, nullptr, member};
}

constexpr TuningRow kRows[] = {
#define CPPGEN_TUNING(type, name, value, text) row(#name, text, &Tuning::name),
#include "cppgen/schedule/tuning.def"
#undef CPPGEN_TUNING
};

}  // namespace

std::span<const TuningRow> tuning_rows() { return kRows; }

}  // namespace cppgen::schedule
