#pragma once
#include <memory>

#include "cppgen/contenders/onednn_graph.h"

namespace cppgen::baseline {

// The functions that the plugin exports (contenders::OnednnPlugin).
std::unique_ptr<contenders::OnednnGraph> make_onednn_graph(Graph graph, int threads, const contenders::CompileGroup&);
void end_openmp_threads();

}  // namespace cppgen::baseline
