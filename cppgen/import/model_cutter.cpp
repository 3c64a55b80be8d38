#include "cppgen/import/model_cutter.h"

#include <algorithm>
#include <climits>
#include <span>
#include <unordered_set>

#include "cppgen/import/external_data.h"
#include "cppgen/import/inline_calls.h"
#include "cppgen/import/maps.h"
#include "cppgen/import/protos.h"
#include "cppgen/import/tensors.h"
#include "cppgen/import/whole_model.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {

using namespace import;

namespace {

void make_inline(onnx::NodeProto& node, ExternalData& files) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) import::make_inline(*attribute.mutable_t(), files);
    if (!attribute.has_g()) continue;
    for (auto& tensor : *attribute.mutable_g()->mutable_initializer()) import::make_inline(tensor, files);
    for (auto& inner : *attribute.mutable_g()->mutable_node()) make_inline(inner, files);
  }
}

void set_type(onnx::ValueInfoProto& info, const std::string& name, const KnownValue& value) {
  info.set_name(name);
  info.mutable_type()->mutable_tensor_type()->set_elem_type(dtype_row(value.type).onnx);
}

}  // namespace

// One cut in the making.
class ModelCutter::Cut {
 public:
  Cut(const WholeModel& model, const KnownValues& known, const CutOptions& options)
      : from_(model),
        known_(known),
        options_(options),
        files_(model.folder),
        model_(model.shell),
        graph_(*model_.mutable_graph()) {
    graph_.set_name(model.graph.name());
  }

  CutModel make(const std::vector<size_t>& nodes) {
    for (size_t n : nodes) keep(from_.nodes.at(n));
    CutModel result;
    for (size_t i = 0; i < from_.nodes.size(); i++) {
      if (!kept_.contains(from_.nodes[i])) continue;
      result.nodes.push_back(i);
      add_node(from_.nodes[i]);
    }
    for (size_t i : result.nodes) add_outputs(from_.graph.node(from_.nodes[i]));
    if (model_.ByteSizeLong() > size_t(INT_MAX))
      user_error("{} nodes with their weights do not fit into a model file of 2 GiB", result.nodes.size());
    result.bytes = model_.SerializeAsString();
    for (const auto& input : graph_.input())
      if (!from_.initializers.contains(input.name())) add_names(input, result.inputs);
    for (const auto& output : graph_.output()) result.outputs.push_back(output.name());
    return result;
  }

 private:
  static void add_names(const onnx::ValueInfoProto& input, std::vector<std::string>& names) {
    const std::string& name = input.name();
    if (!input.type().has_map_type()) return names.push_back(name);
    names.insert(names.end(), {keys_of_map(name), values_of_map(name)});
  }

  const WholeModel& from_;
  const KnownValues& known_;
  const CutOptions& options_;
  ExternalData files_;
  onnx::ModelProto model_;
  onnx::GraphProto& graph_;
  std::unordered_set<int> kept_;
  std::unordered_set<std::string_view> defined_;

  // Adds the node, and the nodes that compute its inputs if nothing else provides them.
  void keep(int first) {
    std::vector<int> open{first};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (!kept_.insert(node).second) continue;
      for (std::string_view name : from_.reads[size_t(node)]) {
        const auto at = from_.producer.find(name);
        if (at == from_.producer.end() || is_constant(from_.graph.node(at->second))) continue;
        if (!known_.contains(name)) open.push_back(at->second);
      }
    }
  }

  void add_node(int n) {
    for (std::string_view name : from_.reads[size_t(n)])
      if (defined_.insert(name).second) provide(name);
    for (const std::string& out : from_.graph.node(n).output()) defined_.insert(out);
    copy(n);
  }

  void copy(int n) {
    onnx::NodeProto& node = *graph_.add_node();
    node = from_.graph.node(n);
    make_inline(node, files_);
  }

  void provide(std::string_view name) {
    if (const auto at = from_.producer.find(name); at != from_.producer.end()) {
      if (is_constant(from_.graph.node(at->second))) return copy(at->second);
      return add_known(name);
    }
    if (const auto at = from_.initializers.find(name); at != from_.initializers.end()) {
      onnx::TensorProto& tensor = *graph_.add_initializer();
      tensor = *at->second;
      import::make_inline(tensor, files_);
    }
    if (const auto at = from_.sparse.find(name); at != from_.sparse.end())
      *graph_.add_sparse_initializer() = *at->second;
    if (const auto at = from_.inputs.find(name); at != from_.inputs.end()) add_input(*at->second);
  }

  void add_known(std::string_view view) {
    const std::string name(view);
    const KnownValue& value = known_.find(view)->second;
    if (!value.elements) {
      set_type(*graph_.add_input(), name, value);
      return set_shape(*graph_.mutable_input(graph_.input_size() - 1), value);
    }
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(dtype_row(value.type).onnx);
    for (int64_t dim : value.dims) tensor.add_dims(dim);
    tensor.set_raw_data(value.elements->data.bytes, value.elements->data.size);
  }

  static void set_shape(onnx::ValueInfoProto& info, const KnownValue& value) {
    auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.Clear();
    for (int64_t dim : value.dims) shape.add_dim()->set_dim_value(dim);
  }

  void add_input(const onnx::ValueInfoProto& input) {
    onnx::ValueInfoProto& copy = *graph_.add_input();
    copy = input;
    const auto value = known_.find(input.name());
    if (!options_.keep_symbols && value != known_.end()) set_shape(copy, value->second);
  }

  bool is_output(const std::string& name) const {
    if (name.empty() || options_.without_outputs.contains(name)) return false;
    if (options_.all_outputs || from_.outputs.contains(name)) return true;
    const auto readers = from_.readers.find(name);
    if (readers == from_.readers.end()) return true;
    const auto is_kept = [&](int n) { return kept_.contains(n); };
    return !std::all_of(readers->second.begin(), readers->second.end(), is_kept);
  }

  void add_outputs(const onnx::NodeProto& node) {
    for (const std::string& name : node.output()) {
      if (!is_output(name)) continue;
      onnx::ValueInfoProto& output = *graph_.add_output();
      output.set_name(name);
      if (const auto value = known_.find(name); value != known_.end()) {
        set_type(output, name, value->second);
      } else if (const auto own = from_.outputs.find(name); own != from_.outputs.end()) {
        output = *own->second;
      }
    }
  }
};

ModelCutter::ModelCutter(const std::string& path, const std::vector<DimOption>& dims) {
  try {
    const std::string content = read_model_file(path);
    onnx::ModelProto model = parse_model(std::as_bytes(std::span(content)));
    inline_calls(model);
    model_ = std::make_unique<const WholeModel>(std::move(model), parent_directory(path), dims);
  } catch (const UserError& error) {
    user_error("{}: {}", path, error.what());
  }
}

ModelCutter::~ModelCutter() = default;
ModelCutter::ModelCutter(ModelCutter&&) noexcept = default;
ModelCutter& ModelCutter::operator=(ModelCutter&&) noexcept = default;

// The number of nodes in the bodies of a node, or in the function of the model that it calls.
static int64_t nodes_inside(const onnx::NodeProto& node, const onnx::ModelProto& shell) {
  int64_t count = 0;
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.has_g()) {
      count += attribute.g().node_size();
      for (const onnx::NodeProto& inner : attribute.g().node()) count += nodes_inside(inner, shell);
    }
  for (const onnx::FunctionProto& function : shell.functions())
    if (function.name() == node.op_type() && function.domain() == node.domain()) count += function.node_size();
  return count;
}

size_t ModelCutter::node_count() const { return model_->nodes.size(); }

std::string ModelCutter::node_text(size_t n) const {
  const onnx::NodeProto& node = model_->graph.node(model_->nodes.at(n));
  const int64_t inner = nodes_inside(node, model_->shell);
  return fmt::format("{} {}{}", one_line(node.op_type()), quoted(node.name()),
                     inner == 0 ? "" : fmt::format(" (with {} inside)", counted(inner, "node")));
}

bool ModelCutter::has_symbols() const {
  for (const auto& input : model_->graph.input())
    for (const auto& dim : input.type().tensor_type().shape().dim())
      if (!dim.has_dim_value() && !model_->initializers.contains(input.name())) return true;
  return false;
}

CutModel ModelCutter::cut(const std::vector<size_t>& nodes, const KnownValues& known, const CutOptions& options) const {
  return Cut(*model_, known, options).make(nodes);
}

}  // namespace cppgen
