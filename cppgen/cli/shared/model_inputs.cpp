#include "cppgen/cli/shared/model_inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cppgen/cli/shared/command_support.h"
#include "runtime/base/errors.h"
#include "runtime/plan/sample_sizes.h"
#include "runtime/values/npy.h"
#include "runtime/values/npy_strings.h"
#include "runtime/values/random_inputs.h"

namespace cppgen {
namespace {

using Given = std::map<size_t, rt::Value>;  // by position

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

void require_rank(const rt::TensorInfo& info, const std::string& path, const std::vector<int64_t>& dims) {
  if (dims.size() != info.dims.size())
    user_error("'{}' has shape {} of {} dimensions; the input '{}' has {}", path, rt::shape_text(dims), dims.size(),
               info.name, info.dims.size());
}

rt::Value read_tensor(const rt::TensorInfo& info, const std::string& path) {
  rt::Tensor tensor = rt::read_npy(path, info.type);
  require_rank(info, path, tensor.dims());
  return tensor;
}

// Inputs whose type is not in the model: an optional, or an element of a sequence.
rt::Value read_any(const rt::TensorInfo& info, const std::string& path) {
  if (rt::holds_strings(path)) return rt::read_npy_strings(path);
  return rt::read_npy(path, rt::needs_type_for_npy(info.type) ? std::optional(info.type) : std::nullopt);
}

rt::Value read_file(const rt::TensorInfo& info, const std::string& path) {
  if (info.kind == ValueKind::tensor) return read_tensor(info, path);
  if (info.kind != ValueKind::strings) return read_any(info, path);
  rt::StringTensor strings = rt::read_npy_strings(path);
  if (!info.dims.empty()) require_rank(info, path, strings.dims);
  return strings;
}

bool is_sequence(const rt::TensorInfo& info) {
  return info.kind == ValueKind::sequence || info.kind == ValueKind::optional_sequence;
}

// Files of one input in their order: elements of a sequence; no file is a sequence or an optional without any.
rt::Value read_input(const rt::TensorInfo& info, const std::vector<std::string>& paths) {
  const bool nothing = paths.size() == 1 && paths[0].empty();
  if (nothing && (info.kind == ValueKind::optional || info.kind == ValueKind::optional_sequence)) return {};
  if (!is_sequence(info)) {
    if (paths.size() > 1) user_error("--input gives '{}' twice", info.name);
    return read_file(info, paths[0]);
  }
  rt::Value::Sequence elements;
  for (const std::string& path : paths)
    if (!nothing) elements.push_back(read_any(info, path));
  return rt::Value(std::move(elements));
}

Given read_files(const rt::Plan& plan, const std::vector<std::string>& files) {
  std::map<size_t, std::vector<std::string>> paths;
  for (const std::string& text : files) {
    const auto [i, path] = split_input(plan, text);
    paths[i].push_back(path);
  }
  Given given;
  for (const auto& [i, list] : paths) given.emplace(i, read_input(plan.inputs[i], list));
  return given;
}

void require_given(const rt::Plan& plan, const Given& given) {
  for (size_t i = 0; i < plan.inputs.size(); i++) {
    const rt::TensorInfo& info = plan.inputs[i];
    if (given.count(i) || info.kind == ValueKind::tensor || info.kind == ValueKind::strings) continue;
    if (is_sequence(info))
      user_error(
          "the input '{0}' is a sequence: give --input {0}=FILE.npy for each element, in order, or --input {0}= for an "
          "empty sequence",
          info.name);
    user_error("the input '{0}' is an optional: give --input {0}=FILE.npy, or --input {0}= for an empty optional",
               info.name);
  }
}

// The symbol that a dimension is; -1 if it is a number or an expression.
int64_t plain_symbol(const rt::DimExpr& dim) {
  return dim.code.size() == 2 && dim.code[0] == int64_t(rt::DimOp::symbol) ? dim.code[1] : -1;
}

std::map<std::string, int64_t> sizes(const rt::Plan& plan, const Given& given,
                                     const std::map<std::string, int64_t>& bound) {
  std::map<std::string, int64_t> sizes = bound;
  for (const auto& [i, value] : given) {
    const std::vector<int64_t>* dims = dims_of(value);
    for (size_t axis = 0; dims && axis < std::min(dims->size(), plan.inputs[i].dims.size()); axis++)
      if (const int64_t symbol = plain_symbol(plan.inputs[i].dims[axis]); symbol >= 0)
        sizes.emplace(plan.symbols[size_t(symbol)].name, (*dims)[axis]);
  }
  rt::add_sizes_of_maps(plan, sizes);
  return sizes;
}

void require_sizes(const rt::Plan& plan, const std::map<std::string, int64_t>& sizes) {
  for (const rt::Symbol& symbol : plan.symbols)
    if (!sizes.contains(symbol.name)) {
      const std::string& input = plan.inputs[size_t(symbol.input)].name;
      user_error("the dimension '{0}' (input '{1}' axis {2}) has no size: give --dim {0}=N or --input {1}=FILE.npy{3}",
                 symbol.name, input, symbol.axis, rt::suggested_sizes(plan, sizes));
    }
}

}  // namespace

std::vector<rt::Value> make_values(const rt::Plan& plan, const std::vector<std::string>& files,
                                   const std::map<std::string, int64_t>& bound, uint64_t seed, int64_t max_memory) {
  Given given = read_files(plan, files);
  require_given(plan, given);
  std::vector<rt::Value> inputs(plan.inputs.size());
  if (given.size() < plan.inputs.size()) {
    const auto known = sizes(plan, given, bound);
    require_sizes(plan, known);
    std::set<size_t> no_tensors;  // of tensors that are given numbers are drawn, too: the others stay the same
    for (const auto& [i, value] : given)
      if (plan.inputs[i].kind != ValueKind::tensor) no_tensors.insert(i);
    inputs = rt::random_values(plan, known, seed, no_tensors, max_memory);
  }
  for (auto& [i, value] : given) inputs[i] = std::move(value);
  return inputs;
}

std::vector<std::string> random_integers(const rt::Plan& plan, const std::vector<std::string>& files) {
  std::set<size_t> given;
  for (const std::string& text : files) given.insert(split_input(plan, text).first);
  std::vector<std::string> names;
  for (size_t i = 0; i < plan.inputs.size(); i++)
    if (is_int(plan.inputs[i].type) && plan.inputs[i].kind == ValueKind::tensor && !given.contains(i))
      names.push_back(plan.inputs[i].name);
  return names;
}

void check_input_file(const std::string& text) {
  if (text.find('=') == text.npos) user_error("--input {}: expected NAME=FILE.npy, as in --input x=image.npy", text);
  if (text.back() == '=') return;
  std::string first;
  for (size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1)) {
    const std::string path = text.substr(at + 1);
    std::error_code error;
    if (first.empty()) first = path;
    if (std::filesystem::is_directory(path, error))
      user_error("--input {}: '{}' is a directory; expected NAME=FILE.npy", text, path);
    if (std::filesystem::exists(path, error)) return rt::check_npy(path);
  }
  user_error("--input {}: there is no file '{}'", text, first);
}

const std::vector<int64_t>* dims_of(const rt::Value& value) {
  return value.tensor() ? &value.tensor()->dims() : value.strings() ? &value.strings()->dims : nullptr;
}

std::vector<rt::TensorView> views_of(const std::vector<rt::Tensor>& tensors) {
  std::vector<rt::TensorView> views;
  for (const rt::Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

std::vector<rt::TensorView> tensor_views(const rt::Plan& plan, const std::vector<rt::Value>& inputs,
                                         std::string_view what) {
  std::vector<rt::TensorView> views;
  for (size_t i = 0; i < inputs.size(); i++) {
    if (!inputs[i].tensor())
      user_error("{} needs numeric tensors, but the input '{}' is {}", what, plan.inputs[i].name,
                 inputs[i].description());
    views.push_back(inputs[i].tensor()->view());
  }
  return views;
}

}  // namespace cppgen
