#pragma once
#include <memory>

#include "cppgen/contenders/onednn_graph.h"

namespace cppgen::baseline {

// The functions of the plugin (OnednnPlugin).
std::unique_ptr<OnednnGraph> make_onednn_graph(Graph graph, int threads, const CompileGroup&);
void end_openmp_threads();

}  // namespace cppgen::baseline
