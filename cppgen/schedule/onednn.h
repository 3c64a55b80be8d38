#pragma once
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// The parameters of the runtime's oneDNN function for a contraction, or why it has no such form.
struct OnednnForm {
  std::vector<IndexExpr> params;  // empty: see reason
  std::string reason;
};
OnednnForm onednn_form(const ir::Program&, const Layouts&, const ContractionView&);

// Brings a contraction that has the form into it: the raw product goes to a buffer of its own, the nest's stores follow
// as a pointwise nest.
struct OnednnPreparation {
  LibraryStep step;
  ir::LoopNest epilogue;
};
OnednnPreparation prepare_onednn(ir::Program&, Layouts&, ir::LoopNest& nest);

}  // namespace cppgen::schedule
