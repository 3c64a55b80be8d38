#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "runtime/plan/module.h"

namespace cppgen {

// Runs a model on the reference interpreter. Inputs are in the model's order; they bind the symbols.
class ReferenceModel {
 public:
  explicit ReferenceModel(const CompileRequest&);
  // A typed graph as it is, between any two of the graph passes.
  ReferenceModel(Graph, const CompileRequest&);
  std::vector<ir::HostTensor> run(const std::vector<ir::HostTensor>& inputs) const;  // of a model of one program
  const ir::Program& program() const { return parts_[0].program; }

  // A program, and the names of its inputs and outputs.
  struct Part {
    ir::Program program;
    std::vector<std::string> input_names, output_names;
  };
  const std::vector<Part>& parts() const { return parts_; }
  const rt::Module* module() const { return module_ ? &*module_ : nullptr; }  // null for one program
  int64_t max_memory() const { return max_memory_; }
  const std::string& custom_operators() const { return custom_operators_; }  // paths of descriptions

 private:
  void add_parts(Graph);

  std::vector<Part> parts_;
  std::optional<rt::Module> module_;
  int64_t max_memory_;
  std::string custom_operators_;
};

}  // namespace cppgen
