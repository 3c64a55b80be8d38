#include "cppgen/report/model_json.h"

#include <nlohmann/json.hpp>

#include "cppgen/flow/compile/model_source.h"
#include "cppgen/report/explain_json.h"
#include "cppgen/report/explained_totals.h"
#include "runtime/base/errors.h"

namespace cppgen::report {

static Json counts_json(const std::map<std::string, int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [key, value] : counts) json[key.empty() ? "ai.onnx" : key] = value;
  return json;
}

Json tensors_json(const std::vector<ModelSummary::Tensor>& tensors) {
  Json list = Json::array();
  for (const auto& tensor : tensors) {
    Json json;
    json["name"] = tensor.name;
    json["dtype"] = tensor.type;
    if (tensor.has_shape) {
      json["dims"] = tensor.dims;
    } else {
      json["dims"] = nullptr;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json inspect_json(const std::string& model, const ModelSummary& summary) {
  Json json;
  json["model"] = model;
  json["kind"] = "onnx";
  json["graph"] = summary.graph_name;
  json["producer"] = summary.producer;
  json["producer_version"] = summary.producer_version;
  json["domain"] = summary.domain;
  json["model_version"] = summary.model_version;
  json["ir_version"] = summary.ir_version;
  json["opsets"] = counts_json(summary.opsets);
  json["inputs"] = tensors_json(summary.inputs);
  json["outputs"] = tensors_json(summary.outputs);
  json["nodes"] = summary.nodes;
  json["operators"] = counts_json(summary.operators);
  json["parameters"] = summary.parameters;
  json["parameter_bytes"] = summary.parameter_bytes;
  json["external_files"] = summary.external_files;
  json["functions"] = summary.functions;
  return json;
}

ModelCheck check_model(const CompileRequest& request) {
  ModelCheck check;
  check.summary = summary_of(request);
  try {
    check.explanation = explain_model(request);
  } catch (const ops::UnsupportedNodes& error) {
    check.reason = error.what(), check.refused = error.nodes;
  } catch (const UserError& error) {
    check.reason = error.what();
  }
  return check;
}

Json check_json(const std::string& model, const ModelCheck& check) {
  Json json;
  json["model"] = model;
  json["supported"] = check.explanation.has_value();
  json["reason"] = check.explanation ? Json() : Json(check.reason);
  json["operators"] = Json::object();
  for (const auto& [name, count] : check.summary.operators) json["operators"][name] = count;
  json["unsupported"] = Json::array();
  for (const ops::RefusedNode& node : check.refused)
    json["unsupported"].push_back(
        {{"node", node.name}, {"operator", node.op}, {"opset", node.opset}, {"reason", node.reason}});
  if (check.explanation) {
    json["inputs"] = tensors_json(check.explanation->inputs);
    json["outputs"] = tensors_json(check.explanation->outputs);
    json["on_host"] = host_operators(*check.explanation);
    write_summary(json, *check.explanation);
  }
  return json;
}

}  // namespace cppgen::report
