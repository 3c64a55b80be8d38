#include "runtime/session/instruments.h"

#include "runtime/session/nan_asserts.h"
#include "runtime/session/saved_args.h"

namespace cppgen::rt {

Instruments::Instruments(const SessionOptions& options)
    : profile(options.enable_kernel_profile), listens(bool(options.on_chunks)) {
  if (!options.profile_output.empty()) trace = std::make_unique<TraceFile>(options.profile_output);
  if (options.save_args) inspectors.push_back(std::make_unique<SavedArgs>(options.trace_dir + "/args"));
  if (options.nan_asserts) inspectors.push_back(std::make_unique<NanAsserts>());
}

}  // namespace cppgen::rt
