#include "runtime/host/custom_function.h"

#include <memory>

#include "runtime/base/errors.h"
#include "runtime/custom/functions.h"
#include "runtime/plan/calls/host_custom.h"

namespace cppgen::rt {
namespace {

// The attributes of a step as the C function sees them.
class Arguments {
 public:
  explicit Arguments(const CustomCall& call) : texts_(call.attributes.size()) {
    for (size_t i = 0; i < call.attributes.size(); i++) {
      list_.push_back({call.attributes[i].name.c_str(), 1, nullptr, nullptr, nullptr});
      std::visit([&](const auto& held) { set(i, held); }, call.attributes[i].value);
    }
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  const std::vector<cppgen_custom_attribute>& list() const { return list_; }

 private:
  std::vector<cppgen_custom_attribute> list_;
  std::vector<std::vector<const char*>> texts_;

  void set(size_t i, const int64_t& value) { list_[i].integers = &value; }
  void set(size_t i, const float& value) { list_[i].numbers = &value; }
  void set(size_t i, const std::vector<int64_t>& values) { set_list(i, list_[i].integers, values); }
  void set(size_t i, const std::vector<float>& values) { set_list(i, list_[i].numbers, values); }
  void set(size_t i, const std::string& value) { set(i, std::vector<const char*>{value.c_str()}); }
  void set(size_t i, const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    set(i, std::move(pointers));
  }
  void set(size_t i, std::vector<const char*> pointers) {
    texts_[i] = std::move(pointers);
    set_list(i, list_[i].texts, texts_[i]);
  }
  template <class T, class Pointer>
  void set_list(size_t i, Pointer& pointer, const std::vector<T>& values) {
    list_[i].count = values.size();
    pointer = values.data();
  }
};

cppgen_custom_tensor tensor_for(DType type, const std::vector<int64_t>& dims, void* data) {
  return {int32_t(type), int32_t(dims.size()), dims.data(), size_t(element_count(dims)), data};
}

class Function {
 public:
  Function(CustomCall call, const std::string& custom_operators)
      : call_(std::move(call)), arguments_(call_), run_(CustomFunctions(custom_operators).find(call_)) {}

  std::vector<Value> run(const HostCall& host) const {
    std::vector<cppgen_custom_tensor> inputs, outputs;
    std::vector<int64_t> dims;
    for (size_t i = 0; i < host.inputs.size(); i++) {
      const Tensor& t = host.tensor(i);
      inputs.push_back(tensor_for(t.type(), t.dims(), const_cast<void*>(t.data())));
      dims.insert(dims.end(), t.dims().begin(), t.dims().end());
    }
    std::vector<Tensor> results = make_results(host, dims);
    for (Tensor& t : results) outputs.push_back(tensor_for(t.type(), t.dims(), t.data()));
    const cppgen_custom_call call{
        inputs.data(),           inputs.size(), outputs.data(), outputs.size(), arguments_.list().data(),
        arguments_.list().size()};
    if (const char* error = run_(&call)) host.fail(error);
    std::vector<Value> values;
    for (Tensor& t : results) values.emplace_back(std::move(t));
    return values;
  }

 private:
  const CustomCall call_;
  const Arguments arguments_;  // points into `call_`
  const cppgen_custom_function run_;

  std::vector<Tensor> make_results(const HostCall& host, const std::vector<int64_t>& dims) const {
    std::vector<Tensor> results;
    for (const CustomCall::Output& output : call_.outputs) {
      std::vector<int64_t> own;
      for (const DimExpr& dim : output.dims) own.push_back(evaluate(dim, dims));
      for (int64_t d : own)
        if (d < 0) host.fail(fmt::format("an output would have the shape {}", shape_text(own)));
      results.emplace_back(output.type, std::move(own));
    }
    return results;
  }
};

}  // namespace

HostFunction custom_host_function(const HostStep& step, const std::string& custom_operators) {
  CustomCall custom = custom_call_from_json(fields_of<CustomFunctionCall>(step).call);
  const auto function = std::make_shared<const Function>(std::move(custom), custom_operators);
  return [function](const HostCall& call) { return function->run(call); };
}

}  // namespace cppgen::rt
