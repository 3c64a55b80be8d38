#include "cppgen/import/inline_calls.h"

#include <algorithm>
#include <set>

#include "cppgen/import/body_names.h"
#include "cppgen/import/function_table.h"
#include "cppgen/import/import.h"
#include "cppgen/import/order.h"

namespace cppgen::import {
namespace {

using ProtoNodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Attributes = std::map<std::string, const onnx::AttributeProto*>;

// Attributes that refer to those of the call become what they refer to; others stay, or go if that is not given.
void resolve(ProtoNodes& nodes, const Attributes& given) {
  for (onnx::NodeProto& node : nodes) {
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size(); i-- > 0;) {
      onnx::AttributeProto& a = attributes[i];
      if (const auto found = given.find(a.ref_attr_name()); !a.ref_attr_name().empty() && found != given.end()) {
        const std::string name = a.name();
        a = *found->second;
        a.set_name(name);
      } else if (!a.ref_attr_name().empty()) {
        attributes.DeleteSubrange(i, 1);
      } else if (a.has_g()) {
        resolve(*a.mutable_g()->mutable_node(), given);
      }
    }
  }
}

// Names begin with the path of calls, as those of imported nodes do.
void set_path(ProtoNodes& nodes, const std::string& path) {
  for (int i = 0; i < nodes.size(); i++) {
    nodes[i].set_name(path + name_of_node(nodes[i], i));
    for (auto& a : *nodes[i].mutable_attribute())
      if (a.has_g()) set_path(*a.mutable_g()->mutable_node(), path);
  }
}

// The facts about a function that inlining needs for every call.
struct Body {
  size_t bytes = 0;
  std::map<std::string, size_t> references;  // to each attribute of the call
  bool closed = true;                        // it reads nothing but its inputs and what it computes

  explicit Body(const onnx::FunctionProto& proto) : bytes(proto.ByteSizeLong()) {
    count_references(proto.node());
    std::set<std::string_view> known(proto.input().begin(), proto.input().end());
    for (const auto& node : proto.node()) known.insert(node.output().begin(), node.output().end());
    for (const auto& node : proto.node())
      for (std::string_view name : names_read(node, 0)) closed &= known.contains(name);
    for (const std::string& output : proto.output()) closed &= known.contains(output);
  }

 private:
  void count_references(const ProtoNodes& nodes) {
    for (const auto& node : nodes)
      for (const auto& a : node.attribute()) {
        if (!a.ref_attr_name().empty()) references[a.ref_attr_name()]++;
        if (a.has_g()) count_references(a.g().node());
      }
  }
};

class CallInliner {
 public:
  explicit CallInliner(onnx::ModelProto& model)
      : model_(model), table_(model), opsets_(read_opsets(model.opset_import())), used_(model.graph()) {}

  void run() {
    if (model_.functions_size() == 0) return;
    inline_in(*model_.mutable_graph()->mutable_node());
    if (!kept_) model_.clear_functions();
  }

 private:
  static constexpr size_t kMostCalls = 64;                                       // inside of each other
  static constexpr size_t kMostNodes = 250'000, kMostBytes = size_t(512) << 20;  // of all bodies

  onnx::ModelProto& model_;
  FunctionTable table_;
  std::map<std::string, int> opsets_;
  NamesInUse used_;
  std::map<const Function*, Body> bodies_;
  std::vector<const Function*> open_;
  size_t nodes_ = 0, bytes_ = 0;
  bool kept_ = false;  // some call

  void inline_in(ProtoNodes& nodes) {
    ProtoNodes all;
    for (int i = 0; i < nodes.size(); i++) {
      onnx::NodeProto& node = nodes[i];
      for (auto& a : *node.mutable_attribute())
        if (a.has_g()) inline_in(*a.mutable_g()->mutable_node());
      const Function* function = table_.find(node);
      if (function && can_be_inlined(*function, node) && fits(*function, node, name_of_node(node, i))) {
        add_body(*function, node, i, all);
      } else {
        kept_ |= function != nullptr;
        all.Add()->Swap(&node);
      }
    }
    nodes.Swap(&all);
  }

  const Body& body_of(const Function& function) {
    return bodies_.try_emplace(&function, *function.proto).first->second;
  }

  bool can_be_inlined(const Function& function, const onnx::NodeProto& node) {
    const onnx::FunctionProto& proto = *function.proto;
    if (open_.size() == kMostCalls || std::find(open_.begin(), open_.end(), &function) != open_.end()) return false;
    if (node.input_size() > proto.input_size() || node.output_size() > proto.output_size()) return false;
    const auto is_absent = [&](const std::string& name) {
      const auto at = std::find(proto.input().begin(), proto.input().end(), name) - proto.input().begin();
      return at < proto.input_size() && (at >= node.input_size() || node.input(int(at)).empty());
    };
    if (std::any_of(proto.output().begin(), proto.output().end(), is_absent) || !body_of(function).closed) return false;
    return std::all_of(function.opsets.begin(), function.opsets.end(), [&](const auto& it) {
      return !opsets_.contains(it.first) || opsets_.at(it.first) == it.second;
    });
  }

  // The size of all bodies could be exponential in the number of functions.
  bool fits(const Function& function, const onnx::NodeProto& node, const std::string& path) {
    const Body& body = body_of(function);
    const auto count = size_t(function.proto->node_size());
    size_t bytes = bytes_ + body.bytes + path.size() * count;
    for (const auto& [name, value] : attributes_of(function, node))
      if (const auto times = body.references.find(name); times != body.references.end())
        bytes += times->second * value->ByteSizeLong();
    if (nodes_ + count > kMostNodes || bytes > kMostBytes) return false;
    nodes_ += count, bytes_ = bytes;
    return true;
  }

  void add_opsets(const Function& function) {
    for (const auto& [domain, version] : function.opsets) {
      if (!opsets_.emplace(domain, version).second) continue;
      auto& import = *model_.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
    }
  }

  void add_body(const Function& function, const onnx::NodeProto& call, int position, ProtoNodes& to) {
    const onnx::FunctionProto& proto = *function.proto;
    add_opsets(function);
    const std::string path = name_of_node(call, position) + "/";
    BodyNames names(used_, path);
    for (int i = 0; i < proto.input_size(); i++) names.set(proto.input(i), i < call.input_size() ? call.input(i) : "");
    std::vector<std::pair<std::string, std::string>> copied;  // results that have another name already
    for (int i = 0; i < call.output_size(); i++) {
      if (call.output(i).empty()) continue;
      if (names.has(proto.output(i)))
        copied.emplace_back(proto.output(i), call.output(i));
      else
        names.set(proto.output(i), call.output(i));
    }
    names.define(proto.node());
    ProtoNodes body = proto.node();
    resolve(body, attributes_of(function, call));
    set_path(body, path);
    for (onnx::NodeProto& node : body) names.rename(node);
    open_.push_back(&function);
    inline_in(body);
    open_.pop_back();
    for (onnx::NodeProto& node : body) to.Add()->Swap(&node);
    for (const auto& [inside, outside] : copied) *to.Add() = identity_of(names.of(inside), outside);
  }
};

}  // namespace

void inline_calls(onnx::ModelProto& model) { CallInliner(model).run(); }

}  // namespace cppgen::import
