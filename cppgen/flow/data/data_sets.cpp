#include "cppgen/flow/data/data_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "cppgen/import/test_data.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "test_data_set_";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool holds_protobuf(const fs::path& directory) {
  return is_there(directory / "output_0.pb") || is_there(directory / "input_0.pb");
}

std::vector<fs::path> entries_of(const std::string& directory) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error) user_error("no test data: cannot read the directory '{}': {}", directory, error.message());
  return entries;
}

// Orders by number: test_data_set_10 comes after test_data_set_2.
bool numeric_less(const DataSet& a, const DataSet& b) {
  return a.path.size() != b.path.size() ? a.path.size() < b.path.size() : a.path < b.path;
}

std::string tensor_path(const DataSet& set, const char* kind, size_t i) {
  return fmt::format("{}/{}_{}.pb", set.path, kind, i);
}

size_t count_tensors(const DataSet& set, const char* kind) {
  size_t count = 0;
  const std::string start = fmt::format("{}_", kind);
  for (const fs::path& entry : entries_of(set.path)) {
    const std::string name = entry.filename().string();
    count += name.starts_with(start) && name.ends_with(".pb");
  }
  for (size_t i = 0; i < count; i++)
    if (!is_there(tensor_path(set, kind, i)))
      user_error("'{}' is missing, although '{}' has {} files {}I.pb", tensor_path(set, kind, i), set.path, count,
                 start);
  return count;
}

rt::Tensor tensor_of(const Tensor& read, bool bfloat16) {
  rt::Tensor tensor(bfloat16 && read.dtype == DType::u16 ? DType::bf16 : read.dtype, read.dims);
  if (read.data.size > 0) std::memcpy(tensor.data(), read.data.bytes, read.data.size);
  return tensor;
}

rt::Value value_of(const TestValue& read, bool bfloat16) {
  if (read.tensor) return tensor_of(*read.tensor, bfloat16);
  if (read.strings) return rt::StringTensor{read.strings->first, read.strings->second};
  if (!read.sequence) return {};
  rt::Value::Sequence elements;
  for (const TestValue& element : *read.sequence) elements.push_back(value_of(element, bfloat16));
  return rt::Value(std::move(elements));
}

// The inputs of a map (import/maps.h): first the keys, then the values, with one file for both. A model that has inputs
// with such names itself has as many files as inputs.
bool is_map(const std::vector<rt::TensorInfo>& inputs, size_t i) {
  constexpr std::string_view kKeys = ".keys";
  const std::string& name = inputs[i].name;
  return name.ends_with(kKeys) && i + 1 < inputs.size() &&
         inputs[i + 1].name == name.substr(0, name.size() - kKeys.size()) + ".values";
}

size_t count_maps(const std::vector<rt::TensorInfo>& inputs) {
  size_t count = 0;
  for (size_t i = 0; i < inputs.size(); i++) count += is_map(inputs, i);
  return count;
}

// The published data hold bfloat16 as uint16.
rt::Tensor read_tensor(const std::string& path, const rt::TensorInfo* info) {
  const TestValue value = read_test_value(path, ValueKind::tensor);
  if (!value.tensor) user_error("'{}' holds strings; the model has a numeric tensor here", path);
  const Tensor& read = *value.tensor;
  return tensor_of(read, info && info->type == DType::bf16);
}

std::vector<rt::Value> read_inputs(const DataSet& set, const rt::Plan& plan) {
  const size_t files = count_tensors(set, "input"), maps = count_maps(plan.inputs);
  const bool has_maps = files + maps == plan.inputs.size() && maps > 0;
  if (files != plan.inputs.size() && !has_maps)
    user_error("'{}' has {} files input_I.pb; the model has {} inputs", set.path, files, plan.inputs.size() - maps);
  std::vector<rt::Value> values;
  for (size_t i = 0; i < files; i++) {
    const std::string path = tensor_path(set, "input", i);
    const rt::TensorInfo& info = plan.inputs[values.size()];
    if (has_maps && is_map(plan.inputs, values.size())) {
      const rt::TensorInfo& of = plan.inputs[values.size() + 1];
      const auto [keys, mapped] =
          read_test_map(path, of.kind == ValueKind::strings ? std::nullopt : std::optional(of.type));
      values.push_back(value_of(keys, false));
      values.push_back(value_of(mapped, false));
    } else if (info.kind == ValueKind::tensor) {
      values.emplace_back(read_tensor(path, &info));
    } else {
      values.push_back(value_of(read_test_value(path, info.kind), info.type == DType::bf16));
    }
  }
  return values;
}

std::vector<rt::Value> read_outputs(const DataSet& set, const std::vector<rt::TensorInfo>& infos) {
  std::vector<rt::Value> values;
  for (size_t i = 0, n = count_tensors(set, "output"); i < n; i++) {
    const rt::TensorInfo* info = i < infos.size() ? &infos[i] : nullptr;
    const TestValue read = read_test_value(tensor_path(set, "output", i), info ? info->kind : ValueKind::tensor);
    values.push_back(value_of(read, info && info->type == DType::bf16));
  }
  return values;
}

rt::TestCase read_protobuf(const DataSet& set, const rt::Plan& plan) {
  const size_t outputs = count_tensors(set, "output");
  if (outputs == 0) user_error("'{}' has no expected outputs: output_0.pb is missing", set.path);
  rt::TestCase test;
  for (rt::Value& value : read_inputs(set, plan)) {
    if (!value.tensor())
      user_error("'{}' has strings for '{}', which is a numeric tensor", set.path,
                 plan.inputs[test.inputs.size()].name);
    test.inputs.push_back(std::move(value).take_tensor());
  }
  for (size_t i = 0; i < outputs; i++) {
    const rt::TensorInfo* info = i < plan.outputs.size() ? &plan.outputs[i] : nullptr;
    rt::ExpectedOutput expected;
    expected.name = info ? info->name : fmt::format("output {}", i);
    expected.values = read_tensor(tensor_path(set, "output", i), info);
    expected.dims = expected.values.dims();
    test.outputs.push_back(std::move(expected));
  }
  return test;
}

}  // namespace

bool has_tensors_only(const rt::Plan& plan) {
  auto tensor = [](const rt::TensorInfo& info) { return info.kind == ValueKind::tensor; };
  return std::all_of(plan.inputs.begin(), plan.inputs.end(), tensor) &&
         std::all_of(plan.outputs.begin(), plan.outputs.end(), tensor);
}

ValueSet read_value_set(const DataSet& set, const rt::Plan& plan) {
  if (!set.protobuf) {
    rt::ValueCase values = rt::read_value_case(set.path, plan);
    return {std::move(values.inputs), std::move(values.outputs)};
  }
  ValueSet values{read_inputs(set, plan), read_outputs(set, plan.outputs)};
  if (values.outputs.empty()) user_error("'{}' has no expected outputs: output_0.pb is missing", set.path);
  return values;
}

std::vector<DataSet> find_data_sets(const std::string& directory) {
  std::vector<DataSet> sets;
  for (const fs::path& entry : entries_of(directory))
    if (entry.filename().string().starts_with(kPrefix)) sets.push_back({entry.string(), holds_protobuf(entry)});
  std::sort(sets.begin(), sets.end(), numeric_less);
  if (!sets.empty()) return sets;
  if (holds_protobuf(directory)) return {{directory, true}};
  if (is_there(fs::path(directory) / "io.json")) return {{directory, false}};
  user_error("no test data in '{}': expected folders test_data_set_*, files input_0.pb and output_0.pb, or io.json",
             directory);
}

rt::TestCase read_data_set(const DataSet& set, const rt::Plan& plan) {
  if (set.protobuf) return read_protobuf(set, plan);
  if (!is_there(fs::path(set.path) / "io.json"))
    user_error("no test data in '{}': expected files input_0.pb and output_0.pb, or io.json", set.path);
  return rt::read_test_case(set.path, plan);
}

}  // namespace cppgen
