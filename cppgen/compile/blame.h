#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_pool.h"

namespace cppgen {

class CancelToken;

// A unit that could not be built, and what it was built with.
struct FailedUnit {
  const CompilePool::Finished& failure;
  const std::string& source;
  const Toolchain& toolchain;
  const std::vector<std::string>& flags;
  const std::string& include_dir;
};

// True when the unit's source is to blame, not the compiler, its options or the machine: nothing points to a lack of
// resources, and a trivial source with the same includes does build with the same command. Throws Cancelled.
bool source_is_to_blame(const FailedUnit&, ProcessRunner&, const CancelToken*);

}  // namespace cppgen
