#pragma once
#include "cppgen/compile/compile_error.h"
#include "cppgen/support/interrupt.h"
#include "runtime/session/c_api_support.h"

namespace cppgen::library {

using rt::require_argument;

// Does what rt::guarded does, also for what only the compiler throws.
template <class F>
cppgen_status guarded(cppgen_error* error, const F& f) noexcept {
  cppgen_status special = CPPGEN_OK;
  const cppgen_status status = rt::guarded(error, [&] {
    try {
      f();
    } catch (const Cancelled&) {
      special = CPPGEN_CANCELLED;
      throw UserError("the compilation was cancelled");
    }
  });
  return special == CPPGEN_OK ? status : special;
}

}  // namespace cppgen::library
