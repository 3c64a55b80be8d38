#pragma once
#include "runtime/base/settings.h"

namespace cppgen::codegen {

// The options of the text of kernels: the settings of the same names.
struct Options {
#define CPPGEN_SETTING(...)
#define CPPGEN_CODEGEN_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
};

}  // namespace cppgen::codegen
