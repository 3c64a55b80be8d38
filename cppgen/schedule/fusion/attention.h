#pragma once
#include <set>
#include <vector>

#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Statements that compute  out = softmax(score(query x key)) x value  and that become one kernel.
struct FoundAttention {
  Attention attention;
  std::vector<ir::Store> stores;     // of the second contraction: accumulator 0 is its result
  std::vector<ir::BufferId> inside;  // what only these statements touch: the kernel never writes it to memory
};

// Finds the attentions of a program by what its nests compute, whatever operators they came from: the result of a
// contraction reaches, through any pointwise values and a softmax over its columns, one operand of a second
// contraction, along its depth. A refusal is logged where a softmax of a contraction's result was found. The attentions
// have no statement in common and are in the order of the program.
std::vector<FoundAttention> find_attentions(Program&, const Layouts&, const Options&, const Target&, DecisionLog&);

// The buffers that attentions may keep inside. Passes before find_attentions leave the nests that store them whole.
std::set<ir::BufferId> buffers_inside_attentions(Program&, const Options&);

// The positions of the contractions of what may become attentions.
std::vector<int> contractions_of_attentions(Program&, const Options&);

// The positions of the statements of an attention, in ascending order.
std::vector<int> statements_of(const Program&, const FoundAttention&);

// The positions of the statements of each of several attentions.
std::vector<std::vector<int>> statements_of(const Program&, const std::vector<FoundAttention>&);

// Makes the kernel of an attention.
FusedKernel make_attention_kernel(const Program&, const FoundAttention&, const std::string& name);

}  // namespace cppgen::schedule
