#pragma once
#include "runtime/base/errors.h"
#include "runtime/session/step_inspector.h"

namespace cppgen::rt {

// A kernel wrote a number that is not finite.
struct NotFinite : UserError {
  using UserError::UserError;
};

// NAN_ASSERTS: NotFinite after the first step whose output contains a number that is not finite. A buffer is inspected
// after the last step that writes it, because the others write only parts. Gaps between rows are never written, so
// intermediate buffers must begin as zeros and share no memory.
class NanAsserts : public StepInspector {
 public:
  void after(const StepInRun&) override;
};

}  // namespace cppgen::rt
