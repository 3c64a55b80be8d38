#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/base/setting_default.h"

namespace cppgen::codegen {

// A deliberate bug in a function of kernels (INJECT_RELU_BUG, INJECT_LOG1P_BUG).
enum class InjectedBug : uint8_t { none, compile_error, runtime_error, accuracy };

InjectedBug injected_bug_from_name(std::string_view);  // "": none; InternalError for another name

// The options of the text of kernels: the settings of the same names.
struct Options {
#define CPPGEN_SETTING(...)
#define CPPGEN_CODEGEN_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  InjectedBug relu_bug = InjectedBug::none, log1p_bug = InjectedBug::none;
};

}  // namespace cppgen::codegen
