#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/import/import.h"

namespace cppgen {

namespace import {
struct WholeModel;
}

// A tensor that a run of a model computes. Of small lists of integers, such as shapes, also the elements.
struct KnownValue {
  DType type = DType::f32;
  std::vector<int64_t> dims;
  std::optional<Tensor> elements{};
};
using KnownValues = std::map<std::string, KnownValue, std::less<>>;

struct CutOptions {
  bool keep_symbols = false;                // of the model's inputs; otherwise their dimensions are those of the values
  bool all_outputs = false;                 // every value is an output
  std::set<std::string> without_outputs{};  // except these
};

// Some nodes of a model as a model. Inputs and outputs are in its order.
struct CutModel {
  std::string bytes;
  std::vector<size_t> nodes;
  std::vector<std::string> inputs, outputs;
};

// Writes models of some of the nodes of an ONNX model. Values that the other nodes compute become inputs, or constants
// if their elements are known; values that the others read become outputs. Weights become part of the file.
class ModelCutter {
 public:
  // UserError naming the file if it cannot be read or is not an ONNX model. Dimensions are set as by an import.
  explicit ModelCutter(const std::string& path, const std::vector<DimOption>& = {});
  ~ModelCutter();
  ModelCutter(ModelCutter&&) noexcept;
  ModelCutter& operator=(ModelCutter&&) noexcept;

  // The nodes of the model's own graph, in topological order, with those of functions in place of their calls. Constant
  // nodes do not count: they follow their readers.
  size_t node_count() const;
  std::string node_text(size_t) const;  // "Relu 'the_relu'"
  bool has_symbols() const;             // among the dimensions of its inputs

  // The nodes, and those that compute what they read if it is not known. UserError if the model would exceed 2 GiB.
  CutModel cut(const std::vector<size_t>& nodes, const KnownValues&, const CutOptions& = {}) const;

 private:
  class Cut;
  std::unique_ptr<const import::WholeModel> model_;
};

}  // namespace cppgen
