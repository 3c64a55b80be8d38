#pragma once
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/library_contraction.h"

namespace cppgen::schedule {

// The parameters of the runtime's oneDNN function for a contraction, or why it has no such form.
struct OnednnForm {
  std::vector<IndexExpr> params;  // empty: see reason
  std::string reason;
};
OnednnForm onednn_form(const ir::Program&, const Layouts&, const ContractionView&);

// Brings a contraction that has the form into it.
LibraryPreparation prepare_onednn(ir::Program&, Layouts&, ir::LoopNest& nest);

}  // namespace cppgen::schedule
