#pragma once
#include <vector>

#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

struct AttentionEngine;

// Statements that compute  out = softmax(score(query x key)) x value  and that become one kernel.
struct FoundAttention {
  const AttentionEngine* engine = nullptr;  // null until engines are chosen
  Attention attention;
  std::vector<ir::Store> stores;     // of the second contraction: accumulator 0 is its result
  std::vector<ir::BufferId> inside;  // what only these statements touch: the kernel never writes it to memory
};

// The positions of the contractions of what may become attentions.
std::vector<int> contractions_of_attentions(Program&, const Options&, const Tuning&);

// The positions of the statements of an attention, in ascending order.
std::vector<int> statements_of(const Program&, const FoundAttention&);

// The positions of the statements of each of several attentions.
std::vector<std::vector<int>> statements_of(const Program&, const std::vector<FoundAttention>&);

// Makes the kernel of an attention, in the form that its engine chooses.
FusedKernel make_attention_kernel(const Program&, const FoundAttention&, const std::string& name);

}  // namespace cppgen::schedule
