#pragma once
#include <optional>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/costs/stored_profile.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"

namespace cppgen {

struct ModelProfile;

// The last profile of a model, which `explain` compares with bounds (flow/costs/stored_profile.h). Models in packages
// have none.
StoredProfile stored_form(const ModelProfile&);
void keep_profile(const ModelOptions&, const Settings&, const CancelToken&, const ModelProfile&);
std::optional<StoredProfile> kept_profile(const ModelOptions&, const Settings&, const CancelToken&);

}  // namespace cppgen
