#pragma once
#include <string>
#include <vector>

#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// One way to run all statements of an attention as one kernel. Without such a way, its contractions have engines of
// their own, and its softmax is nests like others.
struct AttentionEngine {
  std::string name;  // in the output of `explain`
  std::string form;  // of its kernels (cppgen/forms/forms.def)

  // Tells whether it can run the attention and is faster than separate statements; if not, why.
  FusionDecision (*supports)(const Program&, const Layouts&, const Attention&, const Options&, const Target&);
};

// All of them, in the order of engines.def, in which they are asked.
const std::vector<AttentionEngine>& attention_engine_list();

#define CPPGEN_ATTENTION_ENGINE(function) AttentionEngine function();
#include "cppgen/schedule/engines/engines.def"

}  // namespace cppgen::schedule
