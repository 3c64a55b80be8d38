// Steps without bodies: shape arithmetic, movement and sequences.
#include "tests/control_flow/block.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

int64_t product_of(const Dims& d) { return std::accumulate(d.begin(), d.end(), int64_t{1}, std::multiplies<>()); }

auto with(const char* name, int64_t value) {
  return [=](onnx::NodeProto& n) { set_attribute(n, name, value); };
}

}  // namespace

const std::vector<Block::Step> Block::kSteps{
    &Block::pointwise,      &Block::pointwise,      &Block::softmax,    &Block::mean,
    &Block::squeeze_if_one, &Block::squeeze_if_one, &Block::unsqueeze,  &Block::transpose,
    &Block::rows,           &Block::flat_and_back,  &Block::pad,        &Block::half,
    &Block::roll,           &Block::expand,         &Block::pick,       &Block::product,
    &Block::joined,         &Block::list_loop,      &Block::state_loop, &Block::growing_loop,
    &Block::first_of_parts, &Block::branch,         &Block::branch};

void Block::add_steps(int count) {
  for (int added = 0, tries = 0; added < count && tries < 50 * count; tries++) {
    const Known x = any();
    added += (this->*kSteps[size_t(below(int(kSteps.size())))])(x);
  }
}

const Known& Block::any() {
  // Later values more often.
  const int n = int(values_.size());
  return values_[size_t(std::max(below(n), below(n)))];
}

std::string Block::op(const std::string& op, const std::vector<std::string>& in,
                      const std::function<void(onnx::NodeProto&)>& attributes) {
  const std::string out = fresh("v");
  onnx::NodeProto& node = ModelMaker::add_node(graph_, op, in, {out}, out);
  if (attributes) attributes(node);
  return out;
}

std::string Block::ints(const Dims& values, bool scalar) {
  return op("Constant", {}, [&](onnx::NodeProto& n) {
    auto& a = *n.add_attribute();
    a.set_name("value"), a.set_type(onnx::AttributeProto::TENSOR);
    a.mutable_t()->set_data_type(onnx::TensorProto::INT64);
    if (!scalar) a.mutable_t()->add_dims(int64_t(values.size()));
    for (int64_t v : values) a.mutable_t()->add_int64_data(v);
  });
}

std::string Block::flag(bool value) { return op("Cast", {ints({value}, true)}, with("to", onnx::TensorProto::BOOL)); }

std::string Block::number(float value) {
  return op("Constant", {}, [&](onnx::NodeProto& n) {
    auto& a = *n.add_attribute();
    a.set_name("value"), a.set_type(onnx::AttributeProto::TENSOR);
    a.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    a.mutable_t()->add_float_data(value);
  });
}

std::string Block::extent(const std::string& v, int64_t axis, bool scalar) {
  return op("Gather", {op("Shape", {v}), ints({axis}, scalar)});
}

void Block::keep(const std::string& name, const Known& like, const Change& change) {
  Known made{name, like.dims};
  for (auto& d : made.dims)
    if (d) change(*d);
  values_.push_back(std::move(made));
}

bool Block::fits(const Known& x, const std::function<bool(const Dims&)>& test) const {
  if (std::none_of(x.dims.begin(), x.dims.end(), [](const auto& d) { return d.has_value(); })) return false;
  return std::all_of(x.dims.begin(), x.dims.end(),
                     [&](const auto& d) { return !d || (product_of(*d) < 4000 && test(*d)); });
}

std::string Block::mean_of(const Known& x) { return op("ReduceMean", {op("Tanh", {x.name})}, with("keepdims", 0)); }

bool Block::pointwise(const Known& x) {
  static const char* kUnary[] = {"Tanh", "Sigmoid", "Neg", "Relu", "Abs", "Identity"};
  std::string y = op(kUnary[below(6)], {x.name});
  switch (below(4)) {
    case 0:
      y = op("Mul", {x.name, y});
      break;
    case 1:
      y = op("Where", {op("Greater", {x.name, number(0)}), y, x.name});
      break;
    case 2:
      y = op("Add", {y, number(0.5f)});
      break;
    default:
      break;
  }
  keep(y, x, [](Dims&) {});
  return true;
}

bool Block::softmax(const Known& x) {
  if (!is_full(x, 1)) return false;
  keep(op("Softmax", {x.name}, with("axis", -below(2))), x, [](Dims&) {});
  return true;
}

bool Block::mean(const Known& x) {
  const bool kept = below(2) != 0, last = below(2) != 0;
  if (!is_full(x, 1)) return false;
  const std::string y = op("ReduceMean", {x.name}, [&](onnx::NodeProto& n) {
    set_attribute(n, "axes", Dims{last ? -1 : 0});
    set_attribute(n, "keepdims", int64_t(kept));
  });
  keep(y, x, [&](Dims& d) {
    const auto at = last ? d.end() - 1 : d.begin();
    if (kept)
      *at = 1;
    else
      d.erase(at);
  });
  return true;
}

bool Block::unsqueeze(const Known& x) {
  if (!fits(x, [](const Dims& d) { return d.size() < 4; })) return false;
  const int64_t at = below(2) - 1;
  keep(op("Unsqueeze", {x.name, ints({at})}), x, [&](Dims& d) { d.insert(at ? d.end() : d.begin(), 1); });
  return true;
}

bool Block::transpose(const Known& x) {
  keep(op("Transpose", {x.name}), x, [](Dims& d) { std::reverse(d.begin(), d.end()); });
  return true;
}

// x.view(x.size(0), -1)
bool Block::rows(const Known& x) {
  if (!is_full(x, 1)) return false;
  const std::string shape =
      op("Concat", {op("Unsqueeze", {extent(x.name, 0, true), ints({0})}), ints({-1})}, with("axis", 0));
  keep(op("Reshape", {x.name, shape}), x, [](Dims& d) { d = {d[0], product_of(d) / d[0]}; });
  return true;
}

bool Block::flat_and_back(const Known& x) {
  const std::string flat = op("Reshape", {x.name, ints({-1})});
  keep(op("Reshape", {op("Tanh", {flat}), op("Shape", {x.name})}), x, [](Dims&) {});
  return true;
}

// F.pad(x, (1, 2)) of tensors of one rank.
bool Block::pad(const Known& x) {
  size_t rank = 0;
  for (const auto& d : x.dims)
    if (d) rank = d->size();
  if (rank == 0 || !fits(x, [&](const Dims& d) { return d.size() == rank; })) return false;
  const std::string zeros = op("ConstantOfShape", {ints({int64_t(2 * rank - 2)})}, [](onnx::NodeProto& n) {
    auto& a = *n.add_attribute();
    a.set_name("value"), a.set_type(onnx::AttributeProto::TENSOR);
    a.mutable_t()->set_data_type(onnx::TensorProto::INT64), a.mutable_t()->add_dims(1);
    a.mutable_t()->add_int64_data(0);
  });
  const std::string pairs = op("Reshape", {op("Concat", {ints({1, 2}), zeros}, with("axis", 0)), ints({-1, 2})});
  const std::string turned =
      op("Transpose",
         {op("Slice", {pairs, ints({-1}), ints({-std::numeric_limits<int64_t>::max()}), ints({0}), ints({-1})})});
  keep(op("Pad", {x.name, op("Reshape", {turned, ints({-1})})}), x, [](Dims& d) { d.back() += 3; });
  return true;
}

// x[..., : x.size(-1) // 2 + 1]
bool Block::half(const Known& x) {
  if (!is_full(x, 1)) return false;
  const std::string to = op("Add", {op("Div", {extent(x.name, -1, false), ints({2})}), ints({1})});
  keep(op("Slice", {x.name, ints({0}), to, ints({-1})}), x,
       [](Dims& d) { d.back() = std::min(d.back(), d.back() / 2 + 1); });
  return true;
}

bool Block::roll(const Known& x) {
  if (!has_rank(x, 1)) return false;
  const std::string by = ints({below(2)}), axis = ints({0});
  const std::string a = op("Slice", {x.name, by, ints({std::numeric_limits<int64_t>::max()}), axis});
  const std::string b = op("Slice", {x.name, ints({0}), by, axis});
  keep(op("Concat", {a, b}, with("axis", 0)), x, [](Dims&) {});
  return true;
}

bool Block::expand(const Known& x) {
  if (!fits(x, [](const Dims& d) { return d.size() < 4; })) return false;
  const std::string shape = op("Concat", {ints({2}), op("Shape", {x.name})}, with("axis", 0));
  keep(op("Expand", {x.name, shape}), x, [](Dims& d) { d.insert(d.begin(), 2); });
  return true;
}

// x[torch.arange(x.size(0))]
bool Block::pick(const Known& x) {
  if (!is_full(x, 1)) return false;
  const std::string range = op("Range", {ints({0}, true), extent(x.name, 0, true), ints({1}, true)});
  keep(op("Gather", {x.name, range}, with("axis", 0)), x, [](Dims&) {});
  return true;
}

bool Block::product(const Known& x) {
  if (!fits(x, [](const Dims& d) { return d.size() == 2; })) return false;
  keep(op("MatMul", {x.name, op("Transpose", {x.name})}), x, [](Dims& d) { d[1] = d[0]; });
  return true;
}

bool Block::first_of_parts(const Known& x) {
  if (!is_full(x, 1)) return false;
  const std::string parts = op("SplitToSequence", {x.name}, [](onnx::NodeProto& n) {
    set_attribute(n, "axis", int64_t{0});
    set_attribute(n, "keepdims", int64_t{0});
  });
  keep(op("SequenceAt", {parts, ints({-below(2)}, true)}), x, [](Dims& d) { d.erase(d.begin()); });
  return true;
}

bool Block::joined(const Known& x) {
  const bool new_axis = below(2) != 0;
  if (!has_rank(x, new_axis ? 0 : 1) || !fits(x, [](const Dims& d) { return d.size() < 4; })) return false;
  const std::string list = op("SequenceConstruct", {x.name, op("Neg", {x.name})});
  const std::string y = op("ConcatFromSequence", {list}, [&](onnx::NodeProto& n) {
    set_attribute(n, "axis", int64_t{0});
    set_attribute(n, "new_axis", int64_t(new_axis));
  });
  keep(y, x, [&](Dims& d) {
    if (new_axis)
      d.insert(d.begin(), 2);
    else
      d[0] *= 2;
  });
  return true;
}

}  // namespace cppgen::modules
