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

// The attentions of a program, by what its nests compute rather than by their operators: a contraction whose result
// reaches, through any pointwise values and a softmax over its columns, one operand of a second contraction as its
// depth. Refusals are logged once a softmax of a contraction's result was found. Disjoint, in program order.
std::vector<FoundAttention> find_attentions(Program&, const Layouts&, const Options&, const Target&, DecisionLog&);

// What attentions may keep inside. Stages before find_attentions leave the nests that store it whole.
std::set<ir::BufferId> buffers_inside_attentions(Program&, const Options&);

// The positions of the contractions of what may become attentions.
std::vector<int> contractions_of_attentions(Program&, const Options&);

// The positions of an attention's statements, ascending.
std::vector<int> statements_of(const Program&, const FoundAttention&);

// The same for each of several.
std::vector<std::vector<int>> statements_of(const Program&, const std::vector<FoundAttention>&);

// The kernel of these statements.
FusedKernel make_attention_kernel(const Program&, const FoundAttention&, const std::string& name);

}  // namespace cppgen::schedule
