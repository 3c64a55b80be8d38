#pragma once
#include "cppgen/library/c_request.h"

namespace cppgen::library {

// Tunes the model first if the settings ask for it: with the program cppgen that is installed with this library, which
// measures packages in processes of its own. A warning says why, if that is impossible, and how to tune; the
// compilation then uses the results that are stored. Cancelled.
void prepare_tunings(const cppgen_request&, const Settings&, const CancelToken&);

}  // namespace cppgen::library
