#include "cppgen/flow/costs/machine_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

constexpr std::string_view kMeasured = "measured", kReported = "reported", kAssumed = "assumed", kGiven = "given";

double rate_of(const MachinePeaks& peaks, std::string_view level) {
  for (const MachinePeaks::Level& l : peaks.levels)
    if (l.name == level) return l.gb_per_second;
  return 0;
}

void add_caches(MachineModel& model, const MachinePeaks& several, const MachineDescription& here,
                std::string_view rates) {
  const double threads = several.threads;
  if (here.l2_bytes > 0) {
    model.numbers.push_back({"l2", "bytes of the second-level cache of a core",
                             double(here.l2_bytes) / std::max(here.l2_cores, 1), kReported});
    model.numbers.push_back({"l2_rate", "GB/s from it", rate_of(several, "L2") / threads, rates});
  }
  if (here.l3_bytes <= 0) return;
  const double usual = std::ceil(double(here.l3_bytes) / model.costs.l3_bytes_of_core);
  model.numbers.push_back({"l3", "bytes of a last-level cache", double(here.l3_bytes), kReported});
  model.numbers.push_back({"l3_cores", "cores that share it", std::max<double>(here.l3_cores, usual),
                           here.l3_cores >= usual ? kReported : kAssumed});
  model.numbers.push_back({"l3_rate", "GB/s from it for each thread", rate_of(several, "L3") / threads, rates});
}

void add_memory(MachineModel& model, const MachinePeaks& one, const MachinePeaks& several, bool is_here,
                std::string_view rates) {
  const double cores = model.number("cores"), measured = rate_of(several, "memory");
  const double usual = is_here ? 0 : model.costs.memory_gb_of_core * cores, alone = rate_of(one, "memory");
  model.numbers.push_back({"memory_one", "GB/s from memory for one thread alone", alone, rates});
  model.numbers.push_back({"memory_each", "GB/s for each of several threads, as long as there is more",
                           std::min(alone, measured / several.threads), rates});
  model.numbers.push_back(
      {"memory", "GB/s for all threads at most", std::max(measured, usual), measured >= usual ? rates : kAssumed});
}

void add_exchange(MachineModel& model, const MachinePeaks& several, std::string_view rates) {
  const bool known = several.threads > 1;
  const double gb = known ? several.exchange_gb_per_second : model.costs.exchange_gb_across;
  const double ns = known ? several.round_trip_ns : model.costs.round_trip_ns_across;
  const std::string_view source = known ? rates : kAssumed;
  model.numbers.push_back({"exchange", "GB/s between threads that share a last-level cache", gb, source});
  model.numbers.push_back(
      {"exchange_across", "GB/s between other threads", std::min(gb, model.costs.exchange_gb_across), kAssumed});
  model.numbers.push_back({"round_trip", "ns of a message and its answer with such a cache", ns, source});
  model.numbers.push_back({"round_trip_across", "ns of those between other threads",
                           std::max(ns, model.costs.round_trip_ns_across), kAssumed});
}

std::vector<std::string> number_names(const MachineModel& model) {
  std::vector<std::string> names;
  for (const MachineNumber& n : model.numbers) names.emplace_back(n.name);
  return names;
}

void replace(MachineModel& model, const std::string& given) {
  const size_t at = given.find('=');
  const std::string name = given.substr(0, at), text = at == given.npos ? "" : given.substr(at + 1);
  const auto number =
      std::find_if(model.numbers.begin(), model.numbers.end(), [&](const MachineNumber& n) { return n.name == name; });
  if (number == model.numbers.end())
    user_error("--machine {}: expected NAME=VALUE with one of the names {}", given,
               fmt::join(number_names(model), ", "));
  const bool bytes = name == "l2" || name == "l3";
  const std::string where = "--machine " + name;
  char* end = nullptr;
  const double value =
      bytes ? double(setting_values::parse_bytes(where, text, "1..")) : std::strtod(text.c_str(), &end);
  if (!(value > 0) || !std::isfinite(value) || (end && *end != '\0'))
    user_error("{}: '{}' is not a positive number", where, text);
  number->value = value, number->source = kGiven;
}

}  // namespace

double MachineModel::number(std::string_view name) const {
  for (const MachineNumber& n : numbers)
    if (n.name == name) return n.value;
  return 0;
}

MachineModel machine_model(const MachinePeaks& one, const MachinePeaks& several, bool peaks_are_assumed,
                           const MachineDescription& here, const schedule::Costs& costs, int threads,
                           const std::vector<std::string>& given) {
  const std::string_view rates = peaks_are_assumed ? kAssumed : kMeasured;
  const bool is_here = threads <= here.cores;
  MachineModel model;
  model.costs = costs;
  model.lanes = several.lanes, model.loads_per_flop = several.loads_per_ns / several.gflops;
  model.numbers.push_back({"cores", "cores", double(std::max(threads, here.cores)), is_here ? kReported : kAssumed});
  model.numbers.push_back({"gflops", "GFLOP/s of a core", several.gflops / several.threads, rates});
  add_caches(model, several, here, rates);
  for (const std::string& text : given)
    if (text.starts_with("cores=")) replace(model, text);  // on which the rate of its memory depends
  add_memory(model, one, several, is_here, rates);
  add_exchange(model, several, rates);
  for (const std::string& text : given) replace(model, text);
  return model;
}

int last_level_caches(const MachineModel& model, int threads) {
  const double cores = model.number("l3_cores");
  return cores > 0 ? int(std::ceil(threads / cores)) : 1;
}

MachinePeaks peaks_on(const MachineModel& model, int threads) {
  const double n = std::min<double>(threads, model.number("cores"));
  MachinePeaks peaks;
  peaks.threads = threads, peaks.lanes = model.lanes;
  peaks.gflops = n * model.number("gflops"), peaks.loads_per_ns = peaks.gflops * model.loads_per_flop;
  MachineDescription caches;
  caches.l2_bytes = int64_t(model.number("l2")), caches.l3_bytes = int64_t(model.number("l3"));
  caches.l3_cores = std::max(1, int(model.number("l3_cores")));
  peaks.levels = cache_levels(caches, int(n));
  const double memory =
      std::min(n > 1 ? n * model.number("memory_each") : model.number("memory_one"), model.number("memory"));
  for (MachinePeaks::Level& level : peaks.levels)
    level.gb_per_second = level.name == "L2"   ? n * model.number("l2_rate")
                          : level.name == "L3" ? n * model.number("l3_rate")
                                               : memory;
  if (threads == 1) return peaks;
  const double near = (std::min(n, std::max(model.number("l3_cores"), 1.0)) - 1) / std::max(n - 1, 1.0);
  const auto mixed = [&](double within, double across) { return near * within + (1 - near) * across; };
  peaks.exchange_gb_per_second = 1 / mixed(1 / model.number("exchange"), 1 / model.number("exchange_across"));
  peaks.far_exchange_gb_per_second = peaks.exchange_gb_per_second;
  peaks.round_trip_ns = mixed(model.number("round_trip"), model.number("round_trip_across"));
  return peaks;
}

}  // namespace cppgen
