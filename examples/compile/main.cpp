// Compiles a model, with a line of progress, and says what it became.
//
//   compile_model MODEL.onnx PACKAGE
#include <cppgen_compiler.hpp>
#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 3) throw cppgen::Error(CPPGEN_USER_ERROR, "usage: compile_model MODEL.onnx PACKAGE");
  cppgen::CompileOptions options;
  options.output = argv[2];
  options.progress = [](int done, int total) { std::fprintf(stderr, "\rcompiling kernels %d/%d", done, total); };
  const cppgen::Package package = cppgen::compile(argv[1], options);
  std::fprintf(stderr, "\n");

  const cppgen::Session session = package.load();
  for (const cppgen::TensorInfo& input : session.inputs()) std::printf("input %s\n", input.name.c_str());
  for (const cppgen::TensorInfo& output : session.outputs()) std::printf("output %s\n", output.name.c_str());
  std::printf("%s\n", package.path().c_str());
} catch (const cppgen::Error& error) {
  std::fprintf(stderr, "compile_model: %s\n", error.what());
  return error.status() == CPPGEN_USER_ERROR ? 2 : 3;
}
