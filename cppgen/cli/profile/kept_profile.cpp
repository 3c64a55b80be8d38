#include "cppgen/cli/profile/kept_profile.h"

#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/shared/ready_model.h"

namespace cppgen {
namespace {

// The options with which the model is compiled to be run.
CompileRequest request_of(const ModelOptions& options, const Settings& settings, const CancelToken& cancel) {
  CompileRequest request = compile_request(options, settings, cancel);
  take_sizes_of_new_symbols(request);
  return request;
}

}  // namespace

StoredProfile stored_form(const ModelProfile& profile) {
  StoredProfile stored{profile.model.threads(), profile.run_ms(), {}, profile.load.busy()};
  for (size_t i = 0; i < profile.steps.size(); i++)
    stored.steps.push_back(
        {profile.model.plan().steps[i].name, profile.step_ms(i), profile.peaks ? profile.bound_ms(i) : 0});
  return stored;
}

void keep_profile(const ModelOptions& options, const Settings& settings, const CancelToken& cancel,
                  const ModelProfile& profile) {
  if (!profile.model.package) store_profile(request_of(options, settings, cancel), stored_form(profile));
}

std::optional<StoredProfile> kept_profile(const ModelOptions& options, const Settings& settings,
                                          const CancelToken& cancel) {
  return find_profile(request_of(options, settings, cancel));
}

}  // namespace cppgen
