#pragma once
#include "cppgen/schedule/draft.h"

namespace cppgen::schedule {

// Makes the step of each group: a kernel, a call of the library, or a repetition whose body is scheduled by itself.
void make_steps(Draft&);

}  // namespace cppgen::schedule
