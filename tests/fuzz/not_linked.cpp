// Functions that the readers of files never call, in place of the rooms that would have to be linked for it.
#include <cstdlib>

#include "cppgen/compile/peaks.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/flow/compile/known_compiler.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "runtime/threads/topology.h"

namespace cppgen {

std::string cpu_model() { std::abort(); }
Toolchain Toolchain::find(const std::string&) { std::abort(); }
Toolchain known_compiler(const Settings&) { std::abort(); }

namespace rt {

const Topology& topology_of_this_machine() { std::abort(); }
int default_threads(const Topology&, bool) { std::abort(); }

}  // namespace rt

// There is none here: results that name one are refused.
const std::vector<schedule::Engine>& schedule::engine_list() {
  static const std::vector<Engine> none;
  return none;
}

}  // namespace cppgen
