#include "cppgen/driver/model_inputs.h"

#include <algorithm>

#include "cppgen/driver/command_support.h"
#include "runtime/base/errors.h"
#include "runtime/session/npy.h"
#include "runtime/session/random_inputs.h"

namespace cppgen {
namespace {

using Given = std::map<size_t, rt::Tensor>;  // by position

std::string input_names(const rt::Plan& plan) {
  std::string names;
  for (const rt::TensorInfo& info : plan.inputs) names += (names.empty() ? "'" : ", '") + printable(info.name) + "'";
  return names.empty() ? "no inputs" : "the inputs " + names;
}

// Names and paths may hold '=' both: the name is the one that the model has.
std::pair<size_t, std::string> split_input(const rt::Plan& plan, const std::string& text) {
  for (size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1))
    for (size_t i = 0; i < plan.inputs.size(); i++)
      if (plan.inputs[i].name == text.substr(0, at)) return {i, text.substr(at + 1)};
  const size_t at = text.find('=');
  if (at == text.npos) user_error("--input {}: expected NAME=FILE.npy", text);
  user_error("--input {}: the model has no input '{}'; it has {}", text, text.substr(0, at), input_names(plan));
}

Given read_files(const rt::Plan& plan, const std::vector<std::string>& files) {
  Given given;
  for (const std::string& text : files) {
    const auto [i, path] = split_input(plan, text);
    const rt::TensorInfo& info = plan.inputs[i];
    rt::Tensor tensor = rt::read_npy(path, info.type);
    if (tensor.dims().size() != info.dims.size())
      user_error("'{}' has shape {} of {} dimensions; the input '{}' has {}", path, rt::shape_text(tensor.dims()),
                 tensor.dims().size(), info.name, info.dims.size());
    if (!given.emplace(i, std::move(tensor)).second) user_error("--input gives '{}' twice", info.name);
  }
  return given;
}

// The symbol that a dimension is; -1 if it is a number or an expression.
int64_t plain_symbol(const rt::DimExpr& dim) {
  return dim.code.size() == 2 && dim.code[0] == int64_t(rt::DimOp::symbol) ? dim.code[1] : -1;
}

std::map<std::string, int64_t> sizes(const rt::Plan& plan, const Given& given,
                                     const std::map<std::string, int64_t>& bound) {
  std::map<std::string, int64_t> sizes = bound;
  for (const auto& [i, tensor] : given)
    for (size_t axis = 0; axis < tensor.dims().size(); axis++)
      if (const int64_t symbol = plain_symbol(plan.inputs[i].dims[axis]); symbol >= 0)
        sizes.emplace(plan.symbols[size_t(symbol)].name, tensor.dims()[axis]);
  return sizes;
}

void require_sizes(const rt::Plan& plan, const std::map<std::string, int64_t>& sizes) {
  for (const rt::Symbol& symbol : plan.symbols)
    if (!sizes.contains(symbol.name)) {
      const std::string& input = plan.inputs[size_t(symbol.input)].name;
      user_error("the dimension '{0}' (input '{1}' axis {2}) has no size: give --dim {0}=N or --input {1}=FILE.npy",
                 symbol.name, input, symbol.axis);
    }
}

}  // namespace

std::vector<rt::Tensor> make_inputs(const rt::Plan& plan, const std::vector<std::string>& files,
                                    const std::map<std::string, int64_t>& bound, uint64_t seed) {
  Given given = read_files(plan, files);
  std::vector<rt::Tensor> inputs;
  if (given.size() < plan.inputs.size()) {
    const auto known = sizes(plan, given, bound);
    require_sizes(plan, known);
    inputs = rt::random_inputs(plan, known, seed);
  } else {
    inputs.resize(plan.inputs.size());
  }
  for (auto& [i, tensor] : given) inputs[i] = std::move(tensor);
  return inputs;
}

std::vector<rt::TensorView> views_of(const std::vector<rt::Tensor>& tensors) {
  std::vector<rt::TensorView> views;
  for (const rt::Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

}  // namespace cppgen
