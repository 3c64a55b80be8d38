#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_pool.h"

namespace cppgen {

class CancelToken;

// A unit that could not be built, and the compiler and options that were used.
struct FailedUnit {
  const CompilePool::Finished& failure;
  const std::string& source;
  const Toolchain& toolchain;
  const std::vector<std::string>& flags;
  const std::string& include_dir;
};

// True if the unit's source is at fault, and not the compiler, its options or the machine: there is no sign of a lack
// of resources, and a trivial source with the same includes can be built with the same command. Throws Cancelled.
bool source_is_to_blame(const FailedUnit&, ProcessRunner&, const CancelToken*);

}  // namespace cppgen
