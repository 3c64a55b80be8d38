#pragma once
#include "runtime/session/session.h"
#include "runtime/values/compare.h"
#include "runtime/values/test_case.h"

namespace cppgen::rt {

// Runs the session once on the test case.
VerifyReport verify(Session&, const TestCase&, const Tolerance& = {});

}  // namespace cppgen::rt
