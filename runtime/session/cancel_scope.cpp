#include "runtime/session/cancel_scope.h"

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

thread_local const std::atomic<bool>* flag_of_run = nullptr;

void end_if_cancelled() {
  if (flag_of_run && flag_of_run->load()) throw RunCancelled();
}

}  // namespace

const std::atomic<bool>* cancel_of_run() { return flag_of_run; }

CancelScope::CancelScope(const RunOptions& options) : outer_(flag_of_run) {
  flag_of_run = options.cancel;
  end_if_cancelled();
}

CancelScope::~CancelScope() { flag_of_run = outer_; }

std::function<void()> cancelling(std::function<void()> before_step) {
  return [before_step = std::move(before_step)] {
    end_if_cancelled();
    if (before_step) before_step();
  };
}

}  // namespace cppgen::rt
