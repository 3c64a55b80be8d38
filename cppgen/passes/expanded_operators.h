#pragma once
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ops/attributes.h"

namespace cppgen::passes {

// An operator that is replaced before the operator table is used, which does not have it.
struct ExpandedOperator {
  const char *domain, *name;
  const std::vector<ops::Version>* versions;
};
// The rows of expand_channel_blocks.cpp, expand_composites.cpp and learner.h, by domain and name.
const std::vector<ExpandedOperator>& expanded_operators();
// Null if it is none of these.
const std::vector<ops::Version>* versions_before_expansion(const Node&);

// One version, 1, with the attributes that an operator of the operator table has at this operator set, and with changes
// of them as in ops::Version.
std::vector<ops::Version> attributes_like(const char* domain, const char* name, int opset,
                                          const std::string& changes = "");

std::vector<ExpandedOperator> expanded_blocks();
std::vector<ExpandedOperator> expanded_composites();
std::vector<ExpandedOperator> expanded_learners();

}  // namespace cppgen::passes
