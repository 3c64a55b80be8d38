#include "cppgen/import/opened_bodies.h"

#include <algorithm>
#include <span>

#include "cppgen/import/body_names.h"
#include "cppgen/import/function_table.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {
namespace {

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const auto& a : node.attribute())
    if (a.name() == name) return &a;
  return nullptr;
}

// One node of a model being replaced by a body.
class Opening {
 public:
  Opening(const onnx::ModelProto& model, int node, const onnx::GraphProto& body)
      : model_(model),
        graph_(*model_.mutable_graph()),
        node_(model.graph().node(node)),
        body_(body),
        used_(model.graph()),
        names_(used_, name_of_node(node_, node) + "/"),
        opset_(read_opsets(model.opset_import())[""]) {
    graph_.mutable_node()->DeleteSubrange(node, 1);
    names_.define(body_);
  }

  onnx::ModelProto branch() {
    add_body();
    for (int i = 0; i < std::min(node_.output_size(), body_.output_size()); i++)
      add_copy(names_.of(body_.output(i).name()), node_.output(i));
    return std::move(model_);
  }

  onnx::ModelProto first_iteration_of_loop() {
    const int carried = std::max(node_.input_size(), 2) - 2;
    for (int i = 0; i < body_.input_size(); i++) {
      const std::string inside = names_.of(body_.input(i).name());
      if (i == 0)
        add_constant(inside, onnx::TensorProto::INT64).add_int64_data(0);
      else if (i < node_.input_size() && !node_.input(i).empty())
        add_copy(node_.input(i), inside);
      else if (i == 1)
        add_constant(inside, onnx::TensorProto::BOOL).add_int32_data(1);
    }
    add_body();
    add_results(1, carried, {});
    return std::move(model_);
  }

  onnx::ModelProto first_step_of_scan() {
    const onnx::AttributeProto* count = attribute(node_, "num_scan_inputs");
    const int scanned = count ? int(count->i()) : 0, states = node_.input_size() - scanned;
    for (int i = 0; i < std::min(node_.input_size(), body_.input_size()); i++) {
      const std::string inside = names_.of(body_.input(i).name());
      if (i < states)
        add_copy(node_.input(i), inside);
      else
        add_element(node_.input(i), inside, i - states);
    }
    add_body();
    add_results(0, states, ints("scan_output_axes"));
    return std::move(model_);
  }

 private:
  onnx::ModelProto model_;
  onnx::GraphProto& graph_;
  const onnx::NodeProto& node_;
  const onnx::GraphProto& body_;
  NamesInUse used_;
  BodyNames names_;
  const int opset_;

  std::vector<int64_t> ints(const std::string& name) const {
    const onnx::AttributeProto* a = attribute(node_, name);
    return a ? std::vector<int64_t>(a->ints().begin(), a->ints().end()) : std::vector<int64_t>();
  }

  onnx::TensorProto& add_constant(const std::string& name, onnx::TensorProto::DataType type) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    return tensor;
  }

  void add_copy(const std::string& from, const std::string& to) {
    if (!to.empty()) *graph_.add_node() = identity_of(from, to);
  }

  // The element of a scanned input that the first step gets.
  void add_element(const std::string& from, const std::string& to, int input) {
    const std::vector<int64_t> axes = ints("scan_input_axes"), directions = ints("scan_input_directions");
    const std::string index = used_.unused(to + "_index");
    const bool backward = size_t(input) < directions.size() && directions[size_t(input)] == 1;
    add_constant(index, onnx::TensorProto::INT64).add_int64_data(backward ? -1 : 0);
    onnx::NodeProto& gather = *graph_.add_node();
    gather = identity_of(from, to);
    gather.set_op_type("Gather");
    gather.add_input(index);
    auto& axis = *gather.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(size_t(input) < axes.size() ? axes[size_t(input)] : 0);
  }

  void add_body() {
    for (const auto& tensor : body_.initializer()) {
      *graph_.add_initializer() = tensor;
      graph_.mutable_initializer()->rbegin()->set_name(names_.of(tensor.name()));
    }
    for (const auto& tensor : body_.sparse_initializer()) {
      *graph_.add_sparse_initializer() = tensor;
      auto& values = *graph_.mutable_sparse_initializer()->rbegin()->mutable_values();
      values.set_name(names_.of(values.name()));
    }
    for (int i = 0; i < body_.node_size(); i++) {
      onnx::NodeProto& node = *graph_.add_node();
      node = body_.node(i);
      names_.rename(node);
    }
  }

  // The outputs of the body from `first` on: values that it carries, then elements of outputs, along these axes.
  void add_results(int first, int carried, const std::vector<int64_t>& axes) {
    for (int i = 0; i < std::min(node_.output_size(), body_.output_size() - first); i++) {
      const std::string inside = names_.of(body_.output(first + i).name());
      if (i < carried || node_.output(i).empty())
        add_copy(inside, node_.output(i));
      else
        add_only_element(inside, node_.output(i), size_t(i - carried) < axes.size() ? axes[size_t(i - carried)] : 0);
    }
  }

  void add_only_element(const std::string& from, const std::string& to, int64_t axis) {
    constexpr int kAxesAreAnInput = 13;
    onnx::NodeProto& node = *graph_.add_node();
    node = identity_of(from, to);
    node.set_op_type("Unsqueeze");
    if (opset_ < kAxesAreAnInput) {
      auto& axes = *node.add_attribute();
      axes.set_name("axes");
      axes.set_type(onnx::AttributeProto::INTS);
      axes.add_ints(axis);
      return;
    }
    const std::string axes = used_.unused(to + "_axes");
    onnx::TensorProto& tensor = add_constant(axes, onnx::TensorProto::INT64);
    tensor.add_dims(1);
    tensor.add_int64_data(axis);
    node.add_input(axes);
  }
};

}  // namespace

std::vector<BodyPlace> bodies_in(const std::string& bytes) {
  const onnx::ModelProto model = parse_model(std::as_bytes(std::span(bytes)));
  std::vector<BodyPlace> places;
  for (int i = 0; i < model.graph().node_size(); i++) {
    const onnx::NodeProto& node = model.graph().node(i);
    if (!normal_domain(node.domain()).empty()) continue;
    const bool repeats = node.op_type() == "Loop" || node.op_type() == "Scan";
    for (const auto& a : node.attribute())
      if (a.has_g() && (node.op_type() == "If" || (repeats && a.name() == "body"))) places.push_back({i, a.name()});
  }
  return places;
}

std::string with_opened_body(const std::string& bytes, const BodyPlace& place) {
  const onnx::ModelProto model = parse_model(std::as_bytes(std::span(bytes)));
  const std::string& op = model.graph().node(place.node).op_type();
  Opening opening(model, place.node, attribute(model.graph().node(place.node), place.attribute)->g());
  if (op == "Loop") return opening.first_iteration_of_loop().SerializeAsString();
  return (op == "Scan" ? opening.first_step_of_scan() : opening.branch()).SerializeAsString();
}

}  // namespace cppgen::import
