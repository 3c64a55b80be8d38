// Inputs and outputs of any kind, for a package that is read through callbacks: strings, sequences, maps.
//
//   values PACKAGE_DIRECTORY
//
// Tensors of numbers are [1, 2, 3] if they have a dimension; those of strings are "a", "b", "c"; a sequence has two
// such tensors. An input x that is a map is two inputs, x.keys and x.values.
#include <cppgen.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

// Files of a directory; an application would read an archive, or from a network.
struct Files {
  std::string directory;

  std::ifstream open(const char* name) const { return std::ifstream(directory + "/" + name, std::ios::binary); }
  static int64_t size(void* context, const char* name) {
    std::ifstream file = static_cast<const Files*>(context)->open(name);
    return file.seekg(0, std::ios::end) ? int64_t(file.tellg()) : -1;
  }
  static int read(void* context, const char* name, uint64_t offset, void* to, size_t bytes) {
    std::ifstream file = static_cast<const Files*>(context)->open(name);
    return file.seekg(std::streamoff(offset)) && file.read(static_cast<char*>(to), std::streamsize(bytes)) ? 0 : 1;
  }
};

cppgen::Value numbers() {
  float values[] = {1, 2, 3};
  return cppgen::Value(cppgen::Tensor({3}, values));
}

cppgen::Value value_for(const cppgen::TensorInfo& info) {
  if (info.kind == CPPGEN_OPTIONAL || info.kind == CPPGEN_OPTIONAL_SEQUENCE) return cppgen::Value::nothing();
  if (info.kind == CPPGEN_SEQUENCE) {
    std::vector<cppgen::Value> elements;
    for (int i = 0; i < 2; i++) elements.push_back(numbers());
    return cppgen::Value::sequence(elements);
  }
  if (info.type == CPPGEN_STRING) return cppgen::Value(std::vector<std::string>{"a", "b", "c"});
  if (info.type != CPPGEN_FLOAT32) throw cppgen::Error(CPPGEN_USER_ERROR, "this example has numbers of float32 alone");
  return numbers();
}

void print(const cppgen::Tensor& tensor) {
  std::printf(" [");
  for (int64_t i = 0; i < tensor.elements(); i++) {
    if (i > 0) std::printf(", ");
    if (tensor.type() == CPPGEN_STRING) std::printf("%s", tensor.string(i));
    if (tensor.type() == CPPGEN_FLOAT32) std::printf("%g", tensor.as<float>()[i]);
    if (tensor.type() == CPPGEN_INT64) std::printf("%lld", static_cast<long long>(tensor.as<int64_t>()[i]));
  }
  std::printf("]");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw cppgen::Error(CPPGEN_USER_ERROR, "usage: values PACKAGE_DIRECTORY");
  Files files{argv[1]};
  const cppgen_reader reader{sizeof(cppgen_reader), &files, Files::size, Files::read};
  cppgen::Session session(reader);
  std::vector<cppgen::Value> inputs;
  for (const cppgen::TensorInfo& info : session.inputs()) inputs.push_back(value_for(info));
  const cppgen::Results results = session.run(inputs);
  for (const cppgen::TensorInfo& info : session.outputs()) {
    std::printf("%s:", info.name.c_str());
    const size_t output = session.output(info.name);
    for (size_t element = 0; element < results.count(output); element++) print(results.tensor(output, element));
    std::printf("\n");
  }
  return 0;
} catch (const cppgen::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
