#pragma once
#include "cppgen/compile/toolchain.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The compiler on which stored things depend: the keys of cached models and the results of tunings contain it. A
// machine that only runs models from its cache needs no compiler: if the default one (CXX is not set) is not there, the
// one counts that compiled last for this cache. Empty if there is neither. Starts no process.
Toolchain known_compiler(const Settings&);

// Notes the default compiler next to the models that it compiled; does nothing if CXX is set.
void remember_compiler(const Settings&);

// UserError if CXX is set to a program that does not exist: also a model that is in the cache is not what was asked
// for.
void require_chosen_compiler(const Settings&);

}  // namespace cppgen
