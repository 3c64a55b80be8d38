#pragma once
#include "runtime/base/setting_default.h"
#include "runtime/threads/topology.h"

namespace cppgen::rt {

// With AUTO, proposes THREADS, one for each usable core, and AFFINITY: if there are several memory nodes, one run uses
// all cores, and no quota of CPU time makes the system move threads, workers stay at the node whose memory they touch.
void apply_host_profile(Settings&, const Topology& usable);
void apply_host_profile(Settings&);  // for this machine

}  // namespace cppgen::rt
