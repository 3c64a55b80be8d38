#pragma once
#include <string>
#include <vector>

namespace cppgen::import {

// A body of a node of a model's own graph.
struct BodyPlace {
  int node;               // in the file's order
  std::string attribute;  // "then_branch"
};

// The bodies of nodes that with_opened_body can replace: of If, Loop and Scan. `model`: the bytes of an ONNX model.
std::vector<BodyPlace> bodies_in(const std::string& model);

// The model with the nodes of a body in place of the node: a branch of an If, or the first iteration of a Loop or a
// Scan. It computes something else if another branch or several iterations would run.
std::string with_opened_body(const std::string& model, const BodyPlace&);

}  // namespace cppgen::import
