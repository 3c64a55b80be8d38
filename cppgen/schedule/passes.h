#pragma once
#include "cppgen/schedule/draft.h"

namespace cppgen::schedule {

// The passes, declared by their table.
#define CPPGEN_PROGRAM_PASS(name, ...) void name(Draft&);
#define CPPGEN_FUSION_PASS(name, ...) void name(Draft&);
#define CPPGEN_KERNEL_PASS(name, ...) void name(Draft&);
#include "cppgen/schedule/passes.def"

}  // namespace cppgen::schedule
