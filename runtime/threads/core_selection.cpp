// The parts of a machine that a session's threads use.
#include <algorithm>
#include <map>

#include "runtime/base/errors.h"
#include "runtime/base/setting_default.h"
#include "runtime/threads/topology.h"

namespace cppgen::rt {

CoreType core_type_from_name(std::string_view name) { return CoreType(choice_index("CORE_TYPE", name)); }

Topology cores_of_type(Topology usable, CoreType type) {
  const auto [slowest, fastest] = std::minmax_element(usable.units.begin(), usable.units.end(),
                                                      [](auto& a, auto& b) { return a.efficiency < b.efficiency; });
  if (type == CoreType::all || slowest == usable.units.end() || slowest->efficiency == fastest->efficiency)
    return usable;
  const bool fast = type != CoreType::efficiency;
  const int best = fastest->efficiency;
  std::erase_if(usable.units, [&](const ProcessingUnit& unit) { return (unit.efficiency == best) != fast; });
  return usable;
}

std::vector<Topology> split_cores(const Topology& usable, int count) {
  std::map<int, int> number;  // of each core, in the order of the topology
  for (const ProcessingUnit& unit : usable.units) number.emplace(unit.core, int(number.size()));
  const int cores = int(number.size());
  if (count > cores) user_error("NUM_STREAMS: {} is more than the {} cores that this process may use", count, cores);
  std::vector<Topology> parts(size_t(count), usable);
  for (int part = 0; part < count; part++) {
    const int first = cores * part / count, last = cores * (part + 1) / count;
    std::erase_if(parts[size_t(part)].units,
                  [&](const ProcessingUnit& unit) { return number[unit.core] < first || number[unit.core] >= last; });
    if (usable.cpu_limit) parts[size_t(part)].cpu_limit = *usable.cpu_limit / count;
  }
  return parts;
}

}  // namespace cppgen::rt
