#pragma once
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Marks outputs to be written past the caches: results of the model whose kernel touches more than the last-level cache
// holds. An ordinary store reads the line that it is going to overwrite, a third of such a kernel's traffic; what the
// caches would keep of the result is gone before anyone asks for it. It must run after find_in_place.
void find_stores_around_caches(Schedule&, const Target&);

}  // namespace cppgen::schedule
