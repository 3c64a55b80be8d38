#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace cppgen {

// A bad model, setting, option or input: the message says what is wrong, where, and what is allowed.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A bug in cppgen: the message says which invariant was violated.
struct InternalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A run that the application ended.
struct RunCancelled : std::runtime_error {
  RunCancelled() : std::runtime_error("the run was cancelled") {}
};

template <class... Args>
[[noreturn]] void user_error(fmt::format_string<Args...> format, Args&&... args) {
  throw UserError(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void internal_error(fmt::format_string<Args...> format, Args&&... args) {
  throw InternalError(fmt::format(format, std::forward<Args>(args)...));
}

// Throws InternalError when `ok` is false.
inline void check(bool ok, const char* what) {
  if (!ok) throw InternalError(what);
}

}  // namespace cppgen
