// Runs a compiled model on zeros and prints its outputs' shapes and first values.
//
//   run_model PACKAGE [SIZE]      SIZE: of all dimensions that depend on the inputs; default: 1
#include <cppgen.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// Large enough for each of the elements, whatever their type is.
constexpr size_t kMostBytes = 8;

cppgen::Tensor zeros(const cppgen::TensorInfo& info, int64_t size, std::vector<char>& memory) {
  std::vector<int64_t> dims = info.dims;
  size_t bytes = kMostBytes;
  for (int64_t& dim : dims) bytes *= size_t(dim = dim < 0 ? size : dim);
  memory.assign(bytes, 0);
  return {info.type, dims, memory.data()};
}

void print(const cppgen::TensorInfo& info, const cppgen::Tensor& tensor) {
  std::printf("%s [", info.name.c_str());
  for (size_t i = 0; i < tensor.dims().size(); i++)
    std::printf(i > 0 ? ", %lld" : "%lld", static_cast<long long>(tensor.dims()[i]));
  std::printf("]");
  if (tensor.type() == CPPGEN_FLOAT32 && tensor.elements() > 0) std::printf(": %g ...", tensor.as<float>()[0]);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw cppgen::Error(CPPGEN_USER_ERROR, "usage: run_model PACKAGE [SIZE]");
  const int64_t size = argc > 2 ? std::atoll(argv[2]) : 1;

  // A session may be shared by many threads. CPPGEN_THREADS and the like count.
  cppgen::Session session(argv[1]);
  const std::vector<cppgen::TensorInfo> infos = session.inputs(), outputs = session.outputs();
  std::vector<std::vector<char>> memory(infos.size());
  std::vector<cppgen::Tensor> inputs;
  for (size_t i = 0; i < infos.size(); i++) {
    if (infos[i].kind != CPPGEN_TENSOR || infos[i].type == CPPGEN_STRING)
      throw cppgen::Error(CPPGEN_USER_ERROR, "this example has inputs of numbers alone");
    inputs.push_back(zeros(infos[i], size, memory[i]));
  }
  const cppgen::Results results = session.run(inputs);
  for (size_t i = 0; i < outputs.size(); i++)
    if (results.kind(i) == CPPGEN_TENSOR) print(outputs[i], results.tensor(i));
  const cppgen_stats stats = session.stats();
  std::printf("%zu steps on %d threads, %lld bytes of intermediate memory\n", stats.steps, stats.threads,
              static_cast<long long>(stats.arena_bytes));
  return 0;
} catch (const cppgen::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
