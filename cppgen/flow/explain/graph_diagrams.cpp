#include "cppgen/flow/explain/graph_diagrams.h"

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/explain/drawing.h"
#include "cppgen/flow/trace/trace.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

constexpr size_t kShort = 32;  // columns, with PLOT_SHORTEN_TENSOR_NAMES

}  // namespace

GraphDiagrams::GraphDiagrams(const CompileRequest& request) {
  if (!request.settings.graph_diagram) return;
  folder_ = make_trace_folder(request);
  most_columns_ = request.settings.plot_shorten_tensor_names ? kShort : DrawOptions().most_columns;
}

void GraphDiagrams::before_fusion(const Graph& graph) const {
  if (on()) write("before_fusion.svg", to_svg(draw(graph, {true, most_columns_}).diagram));
}

void GraphDiagrams::after_fusion(const std::vector<ModelPart>& parts, const std::optional<rt::Module>& module) const {
  if (!on()) return;
  write("after_fusion.svg", to_svg(draw(parts, module, {true, most_columns_}).diagram));
  log_written("GRAPH_DIAGRAM", folder_ + "/before_fusion.svg and after_fusion.svg");
}

void GraphDiagrams::write(const std::string& name, const std::string& text) const {
  if (const int e = write_file(folder_ + "/" + name, text))
    log_warning("GRAPH_DIAGRAM: cannot write {}/{}: {}", folder_, name, error_text(e));
}

}  // namespace cppgen
