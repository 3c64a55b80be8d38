#pragma once
#include <span>
#include <string>

#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

// The identity of nests that become one kernel: the name of the first, and a hash of what they compute. It is equal for
// the same computation on tensors of the same types and sizes, also in another model.
std::string site_of(const ir::Program&, std::span<const ir::LoopNest* const> nests);
// The identity of all nests of a program that is not scheduled yet; empty if it has none.
std::string site_of_program(const ir::Program&);

}  // namespace cppgen::schedule
