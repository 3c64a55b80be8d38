#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/import/model_maker.h"

namespace cppgen::modules {

using Dims = std::vector<int64_t>;

// A float tensor of the model and its dimensions in each run; none where the run does not get there.
struct Known {
  std::string name;
  std::vector<std::optional<Dims>> dims;
};

// Nodes of one graph: the model, or a body that also sees what is around it.
class Block {
 public:
  Block(onnx::GraphProto& graph, std::mt19937_64& random, int& names, std::vector<Known> seen, int depth)
      : graph_(graph), random_(random), names_(names), values_(std::move(seen)), depth_(depth) {}

  void add_steps(int count);
  const std::vector<Known>& values() const { return values_; }
  const Known& any();
  // Scalar mean of a value, whatever its rank.
  std::string mean_of(const Known&);

 private:
  onnx::GraphProto& graph_;
  std::mt19937_64& random_;
  int& names_;
  std::vector<Known> values_;
  int depth_;

  using Step = bool (Block::*)(const Known&);  // false if the value does not fit
  using Change = std::function<void(Dims&)>;
  static const std::vector<Step> kSteps;

  int below(int n) { return int(random_() % uint64_t(n)); }
  std::string fresh(const char* what) { return std::string(what) + std::to_string(names_++); }
  std::string op(const std::string& op, const std::vector<std::string>& in,
                 const std::function<void(onnx::NodeProto&)>& attributes = {});
  std::string ints(const Dims& values, bool scalar = false);
  std::string flag(bool value);
  std::string number(float value);
  std::string extent(const std::string& v, int64_t axis, bool scalar);
  void keep(const std::string& name, const Known& like, const Change& change);
  bool fits(const Known&, const std::function<bool(const Dims&)>& test) const;
  bool has_rank(const Known& x, size_t rank) const {
    return fits(x, [&](const Dims& d) { return d.size() >= rank; });
  }
  bool is_full(const Known& x, size_t rank) const {
    return fits(x, [&](const Dims& d) {
      return d.size() >= rank && std::all_of(d.begin(), d.end(), [](int64_t n) { return n > 0; });
    });
  }
  onnx::GraphProto& body(onnx::NodeProto& node, const std::string& attribute);
  onnx::NodeProto& loop(const std::string& rounds, const std::vector<std::string>& states, onnx::GraphProto*& graph);
  std::string rounds_of(const Known&, std::vector<int64_t>& counts);

  bool pointwise(const Known&);
  bool softmax(const Known&);
  bool mean(const Known&);
  bool squeeze_if_one(const Known&);
  bool unsqueeze(const Known&);
  bool transpose(const Known&);
  bool rows(const Known&);
  bool flat_and_back(const Known&);
  bool pad(const Known&);
  bool half(const Known&);
  bool roll(const Known&);
  bool expand(const Known&);
  bool pick(const Known&);
  bool product(const Known&);
  bool first_of_parts(const Known&);
  bool joined(const Known&);
  bool list_loop(const Known&);
  bool state_loop(const Known&);
  bool growing_loop(const Known&);
  bool branch(const Known&);
};

}  // namespace cppgen::modules
