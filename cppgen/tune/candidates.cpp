#include "cppgen/tune/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/errors.h"

namespace cppgen::tune {
namespace {

using schedule::Tuning;
using schedule::TuningRow;
using schedule::TuningScope;

const TuningRow& row_named(std::string_view name) {
  for (const TuningRow& row : schedule::tuning_rows())
    if (row.name == name) return row;
  internal_error("tune: there is no constant '{}'", name);
}

double usual_value(const TuningRow& row, const Tuning& usual) {
  return row.integer ? double(usual.*row.integer) : usual.*row.number;
}

// Adds nothing if the value rounds to the usual one or is not allowed.
void add(std::vector<Candidate>& list, const TuningRow& row, const Tuning& usual, double value) {
  const double before = usual_value(row, usual);
  if (row.integer) value = std::round(value);
  if (value == before || value < before / schedule::kMostTuningFactor || value > before * schedule::kMostTuningFactor)
    return;
  const std::string text = fmt::format("{}={:g}", row.name, value);
  const std::string exact = row.integer ? fmt::format("{}={}", row.name, int64_t(value)) : text;
  list.push_back({exact, row.scope, {"", false, exact}});
}

void add_constants(std::vector<Candidate>& list, TuningScope scope, const Tuning& usual,
                   const std::vector<double>& factors) {
  for (const TuningRow& row : schedule::tuning_rows())
    for (const double factor : factors)
      if (row.scope == scope) add(list, row, usual, usual_value(row, usual) * factor);
}

// Engines that the settings list, except those that are the first for all contractions that they are listed for.
std::vector<Candidate> engines(const Settings& settings) {
  const auto &products = settings.max_autotune_gemm_backends, &convolutions = settings.max_autotune_conv_backends;
  const auto is_another = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) > list.begin() && std::count(list.begin(), list.end(), name) > 0;
  };
  std::vector<Candidate> all;
  for (const auto* list : {&products, &convolutions})
    for (const std::string& name : *list) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Candidate& c) { return c.name == name; });
      const bool of_products = is_another(products, name), of_convolutions = is_another(convolutions, name);
      if (!known && (of_products || of_convolutions))
        all.push_back({name, TuningScope::site_contraction, {name, false, ""}, of_products, of_convolutions});
    }
  return all;
}

}  // namespace

bool concerns(const Candidate& candidate, const SiteReport& site) {
  if (site.scope != candidate.scope) return false;
  if (site.scope != TuningScope::site_contraction) return true;
  return site.convolution ? candidate.for_convolutions : candidate.for_products;
}

std::vector<Candidate> candidates(const Settings& s, const Tuning& usual) {
  std::vector<Candidate> all;
  const bool both = s.max_autotune_gemm == s.max_autotune_pointwise;
  if (both || s.max_autotune_gemm) {
    const bool exhaustive = s.max_autotune_gemm_search_space == "EXHAUSTIVE";
    constexpr TuningScope kContraction = TuningScope::site_contraction;
    all = engines(s);
    if (s.benchmark_fusion || exhaustive) all.push_back({"separate epilogue", kContraction, {"", true, ""}});
    const std::vector<double> factors =
        exhaustive ? std::vector<double>{0.5, 2, 0.25, 4, 0.75, 1.25, 1.5} : std::vector<double>{0.5, 2};
    add_constants(all, TuningScope::site_contraction, usual, factors);
  }
  if (both || s.max_autotune_pointwise) add_constants(all, TuningScope::site_other, usual, {0.5, 2});
  if (both) add_constants(all, TuningScope::whole, usual, {0.5, 2}), add_constants(all, TuningScope::run, usual, {4});
  if (s.deterministic) std::erase_if(all, [](const Candidate& c) { return schedule::changes_bits(c.choice); });
  return all;
}

std::vector<Candidate> further_candidates(const Settings& s, const Tuning& usual) {
  std::vector<Candidate> all;
  const bool both = s.max_autotune_gemm == s.max_autotune_pointwise;
  if (both || s.max_autotune_gemm) add_constants(all, TuningScope::site_contraction, usual, {0.25, 4});
  if (both || s.max_autotune_pointwise) add_constants(all, TuningScope::site_other, usual, {0.25, 4});
  if (s.deterministic) std::erase_if(all, [](const Candidate& c) { return schedule::changes_bits(c.choice); });
  return all;
}

std::vector<Candidate> neighbours(const Candidate& candidate, const Tuning& usual, int steps) {
  std::vector<Candidate> list;
  const size_t equals = candidate.choice.tuning.find('=');
  if (equals == std::string::npos || candidate.choice.tuning.find(',') != std::string::npos) return list;
  const TuningRow& row = row_named(candidate.choice.tuning.substr(0, equals));
  const double value = std::stod(candidate.choice.tuning.substr(equals + 1));
  for (const double factor : {std::exp2(-steps), std::exp2(steps)}) add(list, row, usual, value * factor);
  return list;
}

std::optional<Candidate> both(const Candidate& a, const Candidate& b) {
  const auto constant = [](const Candidate& c) { return c.choice.tuning.substr(0, c.choice.tuning.find('=')); };
  const bool single = !a.choice.tuning.empty() && !b.choice.tuning.empty() && a.choice.backend.empty() &&
                      b.choice.backend.empty() && a.choice.tuning.find(',') == std::string::npos &&
                      b.choice.tuning.find(',') == std::string::npos;
  if (!single || a.scope != b.scope || constant(a) >= constant(b)) return std::nullopt;
  const std::string tuning = a.choice.tuning + "," + b.choice.tuning;
  return Candidate{tuning, a.scope, {"", false, tuning}};
}

}  // namespace cppgen::tune
