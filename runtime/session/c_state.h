#pragma once
#include <memory>

#include "runtime/session/cppgen.h"
#include "runtime/session/session_state.h"

struct cppgen_state {
  std::unique_ptr<cppgen::rt::SessionState> state;
};
