#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cppgen::bench {

using Dims = std::vector<int64_t>;
using Names = std::vector<std::string>;

// Writes small float32 models as .onnx files (opset 20), node by node. Values are known by their names; every function
// that adds a node returns the name of its result.
class ModelBuilder {
 public:
  explicit ModelBuilder(const std::string& name);
  ~ModelBuilder();

  std::string input(const std::string& name, const Dims& dims);
  std::string ints(const std::vector<int64_t>& values);                     // a constant list
  std::string numbers(const Dims& dims, const std::vector<float>& values);  // a constant tensor, row-major
  std::string number(float value) { return numbers({}, {value}); }
  std::string bytes(const Dims& dims, const std::vector<uint8_t>& values, bool is_signed);  // a constant tensor
  // `op` is an operator of ONNX, or of another domain: "com.microsoft.MatMulNBits".
  std::string node(const char* op, const Names& inputs,
                   const std::map<std::string, std::vector<int64_t>>& attributes = {});
  void output(const std::string& value, const Dims& dims);

  // runtime_error if the file cannot be written.
  void write(const std::string& path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string fresh(const char* kind);
};

}  // namespace cppgen::bench
