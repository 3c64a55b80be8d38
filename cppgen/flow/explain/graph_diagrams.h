#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen {

struct ModelPart;

// GRAPH_DIAGRAM: the files before_fusion.svg and after_fusion.svg in the model's folder of TRACE_DIR.
class GraphDiagrams {
 public:
  // Creates the folder if the setting is on; UserError if that fails. If the setting is off, nothing is written.
  explicit GraphDiagrams(const CompileRequest&);

  bool on() const { return !folder_.empty(); }
  void before_fusion(const Graph&) const;
  void after_fusion(const std::vector<ModelPart>&, const std::optional<rt::Module>&) const;

 private:
  std::string folder_;
  size_t most_columns_ = 0;

  void write(const std::string& name, const std::string& text) const;
};

}  // namespace cppgen
