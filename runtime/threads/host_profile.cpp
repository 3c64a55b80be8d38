#include "runtime/threads/host_profile.h"

#include <string>

#include "runtime/base/settings.h"

namespace cppgen::rt {

void apply_host_profile(Settings& settings, const Topology& usable) {
  if (!settings.auto_profile || settings.num_streams > 1) return;
  const Topology cores = cores_of_type(usable, core_type_from_name(settings.core_type));
  const bool open = settings.source(SettingId::threads).kind == SettingSource::fallback;
  settings.propose(SettingId::threads, std::to_string(default_threads(cores, settings.smt)));
  if (open && !cores.cpu_limit && machine_description(cores).numa_nodes > 1)
    settings.propose(SettingId::affinity, "numa");
}

void apply_host_profile(Settings& settings) {
  if (settings.auto_profile) apply_host_profile(settings, usable_topology());
}

}  // namespace cppgen::rt
