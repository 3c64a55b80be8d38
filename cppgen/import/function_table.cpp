#include "cppgen/import/function_table.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <set>

#include "cppgen/import/import.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

// Numbers of fields that releases of ONNX after the one we build with have.
constexpr int kNodeOverload = 8, kFunctionAttributeProto = 11, kFunctionOverload = 13;

constexpr size_t kMaxInlinedNodes = 250'000, kMaxInlinedBytes = size_t(256) << 20;

// The serialised elements of a field of strings or messages, whether this release of ONNX knows it or not.
std::vector<std::string> field_of(const google::protobuf::Message& message, int number) {
  std::vector<std::string> elements;
  if (const auto* field = message.GetDescriptor()->FindFieldByNumber(number)) {
    const auto* access = message.GetReflection();
    if (!field->is_repeated()) return {access->GetString(message, field)};
    for (int i = 0; i < access->FieldSize(message, field); i++)
      elements.push_back(access->GetRepeatedMessage(message, field, i).SerializeAsString());
    return elements;
  }
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); i++)
    if (unknown.field(i).number() == number &&
        unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      elements.push_back(unknown.field(i).length_delimited());
  return elements;
}

std::string overload_of(const google::protobuf::Message& message, int number) {
  const std::vector<std::string> texts = field_of(message, number);
  return texts.empty() ? "" : texts.back();
}

std::map<std::string, onnx::AttributeProto> defaults_of(const onnx::FunctionProto& function) {
  std::map<std::string, onnx::AttributeProto> defaults;
  for (const std::string& bytes : field_of(function, kFunctionAttributeProto)) {
    onnx::AttributeProto a;
    if (!a.ParseFromString(bytes)) user_error("a default attribute of the function is malformed");
    if (!a.ref_attr_name().empty())
      user_error("the default of attribute {} is a reference to another attribute", quoted(a.name()));
    const std::string name = a.name();
    if (!defaults.emplace(name, std::move(a)).second) user_error("attribute {} has two defaults", quoted(name));
  }
  return defaults;
}

}  // namespace

std::map<std::string, int> read_opsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports) {
  std::map<std::string, int> opsets;
  for (const auto& entry : imports) {
    std::string domain = normal_domain(entry.domain());
    int64_t version = entry.version();
    if (version < 1 || version > 1000000)
      user_error("operator set {} of domain {}: no such version", version, quoted(domain.empty() ? "ai.onnx" : domain));
    auto [at, added] = opsets.emplace(domain, int(version));
    if (!added && at->second != version)
      user_error("domain {} is imported in versions {} and {}", quoted(domain), at->second, version);
  }
  return opsets;
}

std::string label(const Function& function) {
  const std::string domain = normal_domain(function.proto->domain());
  const std::string overload = overload_of(*function.proto, kFunctionOverload);
  return quoted((domain.empty() ? "" : domain + ".") + function.proto->name() +
                (overload.empty() ? "" : " of overload " + overload));
}

bool is_declared(const Function& function, const std::string& attribute) {
  const auto& required = function.proto->attribute();
  return function.defaults.count(attribute) || std::find(required.begin(), required.end(), attribute) != required.end();
}

std::map<std::string, const onnx::AttributeProto*> attributes_of(const Function& function,
                                                                 const onnx::NodeProto& node) {
  std::map<std::string, const onnx::AttributeProto*> attributes;
  std::set<std::string> given;
  for (const onnx::AttributeProto& a : node.attribute()) {
    if (!given.insert(a.name()).second) user_error("attribute {} is given twice", quoted(a.name()));
    if (is_declared(function, a.name())) attributes[a.name()] = &a;
  }
  for (const auto& [name, value] : function.defaults) attributes.emplace(name, &value);
  return attributes;
}

FunctionTable::FunctionTable(onnx::ModelProto& model) {
  for (onnx::FunctionProto& proto : *model.mutable_functions()) {
    Function function{.proto = &proto, .opsets = {}, .defaults = {}, .order = {}, .constants = {}};
    const auto key = std::tuple(normal_domain(proto.domain()), proto.name(), overload_of(proto, kFunctionOverload));
    const std::string name = label(function);
    if (!functions_.emplace(key, std::move(function)).second) user_error("function {} is defined twice", name);
  }
}

Function* FunctionTable::find(const onnx::NodeProto& node) {
  if (functions_.empty()) return nullptr;
  const auto at = functions_.find({normal_domain(node.domain()), node.op_type(), overload_of(node, kNodeOverload)});
  if (at == functions_.end()) return nullptr;
  Function& function = at->second;
  if (!function.prepared) {
    function.opsets = read_opsets(function.proto->opset_import());
    function.defaults = defaults_of(*function.proto);
    function.prepared = true;
  }
  return &function;
}

void InlineBudget::take(size_t bytes) {
  nodes_++;
  bytes_ += bytes;
  if (nodes_ > kMaxInlinedNodes) user_error("functions expand to more than {} nodes", kMaxInlinedNodes);
  if (bytes_ > kMaxInlinedBytes) user_error("functions expand to more than {} MiB", kMaxInlinedBytes >> 20);
}

}  // namespace cppgen::import
