#pragma once
#include <string>
#include <vector>

#include "cppgen/schedule/tuning.h"

namespace cppgen {

struct ModelPart;

// A step, or a whole program, for which something can be chosen (schedule/choices.h).
struct SiteReport {
  std::string site;
  schedule::TuningScope scope{};
  std::vector<std::string> origins;  // nodes of the model; none of a program
  std::string code;                  // equal for the same code in the same units of work; empty for a program
  bool convolution = false;          // of a contraction: MAX_AUTOTUNE_CONV_BACKENDS applies to it
  std::string kernel = {};           // its function; empty for what is not a kernel
  int64_t loop_spills = 0;           // of the kernel (compile/asm_info.h), if the request asks for them
};

// The sites of parts whose kernels are emitted.
std::vector<SiteReport> sites_of(const std::vector<ModelPart>&);

}  // namespace cppgen
