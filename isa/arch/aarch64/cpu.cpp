// The facts about this CPU beyond its features: the compiler uses none yet.
#include "isa/cpu_features.h"

namespace cppgen {

std::string cpu_vendor() { return {}; }

double bf16_dot_speed(std::string_view) { return 0; }

}  // namespace cppgen
