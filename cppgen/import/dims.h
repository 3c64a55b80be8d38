#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/import/import.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// Dimensions of inputs: constants or symbols, from the model and the user's options.
class InputDims {
 public:
  // UserError if options conflict, or name an input, axis or symbol that the graph does not have. `graph_inputs` are
  // the model's real inputs (without initializers), all of tensor type with a shape. `expressions`: names such as "past
  // + sequence" are parsed as expressions of the names of other dimensions.
  InputDims(IndexArena& index, const std::vector<DimOption>& options,
            const std::vector<const onnx::ValueInfoProto*>& graph_inputs, bool expressions = true);

  // The shape of an input of the model or of a body.
  Shape shape(const onnx::ValueInfoProto& input);

 private:
  // A dimension before sizes are bound: a number, or the name of a symbol.
  struct Dim {
    int64_t size = 0;
    std::string symbol;  // empty: `size`
  };
  using DimNames = std::map<std::string, std::vector<Dim>>;

  static std::string cure(const std::string& symbol, const DimNames&);
  Dim dim_of(const onnx::ValueInfoProto& input, int axis) const;
  void add_symbolic(const DimOption&);
  void add_binding(const DimOption&, const DimNames&, const std::set<std::string>& symbols);
  void bind(const std::string& symbol, int64_t size);
  std::optional<IndexExpr> known_symbol(const std::string& name);
  IndexExpr named(const std::string& name);

  IndexArena& index_;
  std::map<std::pair<std::string, int>, std::string> symbolic_;  // (input, axis) -> symbol, from options
  std::map<std::string, int64_t> sizes_;                         // symbol -> size, from options
  std::set<std::string> symbols_;                                // all symbols of the inputs
  bool expressions_;
};

}  // namespace cppgen::import
