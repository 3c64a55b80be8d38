#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/diagram/diagram.h"

namespace cppgen {

namespace rt {
struct Module;
}
struct Graph;
struct ModelPart;

// Diagrams of a model: of its graph before nodes are fused, and of the steps that it becomes. What control flow runs is
// drawn between the box that runs it and those that read its results.

struct DrawOptions {
  bool tensors = true;        // show the tensors that each box computes, with their types
  size_t most_columns = 200;  // of a name; longer ones are shortened
};

struct DrawnGraph {
  // The meaning of a box.
  struct Node {
    std::string name, op;             // of an input or output: "input", "output"
    std::string text;                 // as graphs are printed
    std::vector<std::string> inputs;  // names of values
  };
  Diagram diagram;
  std::vector<Node> nodes;  // by box
};
DrawnGraph draw(const Graph&, const DrawOptions&);

struct DrawnSteps {
  Diagram diagram;
  // Each box has the position of its step among those of all parts and, after these, of the host; -1 for inputs and
  // outputs.
  std::vector<int32_t> steps;
};
DrawnSteps draw(const std::vector<ModelPart>&, const std::optional<rt::Module>&, const DrawOptions&);

// The boxes that compute a value, each once.
using Writers = std::vector<int32_t>;
void merge(Writers& into, const Writers& more);
// Arrows from them to a box, which is later than these.
void connect(Diagram&, const Writers& from, int32_t to);

}  // namespace cppgen
