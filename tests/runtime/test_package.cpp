#include "tests/runtime/test_package.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "runtime/package/package.h"

extern char** environ;

namespace cppgen::rt::test {

TempDirectory::TempDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cppgen_test_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), std::streamsize(text.size()));
  if (!file) throw std::runtime_error("cannot write " + path);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int run_program(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid;
  if (posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return -1;
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns the compiler for the architecture of the tests: CPPGEN_CXX where they run in an emulator.
static std::string compiler() {
  const char* const given = std::getenv("CPPGEN_CXX");
  return given ? given : "g++";
}

void compile_library(const std::string& source, const std::string& library) {
  const std::string file = library + ".cpp";
  write_text(file, "#include \"runtime/abi/abi.h\"\n" + source);
  const int code = run_program({compiler(), "-O1", "-fPIC", "-shared", "-I" CPPGEN_SOURCE_DIR, file, "-o", library});
  std::filesystem::remove(file);
  if (code != 0) throw std::runtime_error(compiler() + " failed");
}

DimExpr sym(int64_t index) { return {{int64_t(DimOp::symbol), index}}; }

static DimExpr combine(const DimExpr& a, const DimExpr& b, DimOp op) {
  DimExpr result = a;
  result.code.insert(result.code.end(), b.code.begin(), b.code.end());
  result.code.push_back(int64_t(op));
  return result;
}
DimExpr operator*(const DimExpr& a, const DimExpr& b) { return combine(a, b, DimOp::mul); }
DimExpr operator+(const DimExpr& a, const DimExpr& b) { return combine(a, b, DimOp::add); }

void write_package(const std::string& directory, Plan plan, const std::string& source,
                   const std::vector<float>& weights) {
  std::filesystem::create_directories(directory);
  if (!source.empty()) {
    plan.objects = {"kernels_0.so"};
    compile_library(source, directory + "/kernels_0.so");
  }
  plan.weights_bytes = int64_t(weights.size() * sizeof(float));
  if (!weights.empty())
    write_text(directory + "/weights.bin", {reinterpret_cast<const char*>(weights.data()), weights.size() * 4});
  write_text(directory + "/plan.json", to_json(plan));
  write_manifest(directory, plan.isa);
}

Plan two_step_plan() {
  Plan plan;
  plan.model = "two_step";
  plan.isa = "scalar";
  plan.symbols = {{"N", 0, 0}};
  plan.inputs = {{"x", DType::f32, {sym(0), num(4)}, 0}};
  plan.outputs = {{"y", DType::f32, {sym(0), num(4)}, 0}};
  const DimExpr bytes = sym(0) * num(16);
  plan.buffers.resize(4);
  plan.buffers[0] = {PlanBufferKind::input, 0, 0, bytes, 0, 0, -1};
  plan.buffers[1] = {PlanBufferKind::constant, -1, 0, num(16), 0, 0, -1};
  plan.buffers[2] = {PlanBufferKind::temporary, -1, 0, bytes, 0, 1, -1};
  plan.buffers[3] = {PlanBufferKind::output, 0, 0, bytes, 0, 0, -1};
  const char* const names[] = {"x", "w", "t", "y"};
  for (size_t i = 0; i < 4; i++) plan.buffers[i].type = DType::f32, plan.buffers[i].name = names[i];
  Step add;
  add.name = "k_add";
  add.object = 0;
  add.buffers = {0, 1, 2};
  add.output_count = 1;
  add.range = sym(0);
  add.unit_work = num(4);
  add.engine = "loops";
  add.origins = {"Add_0"};
  add.flops = sym(0) * num(4);
  add.bytes = sym(0) * num(32);
  Step twice = add;
  twice.name = "k_twice";
  twice.buffers = {2, 3};
  twice.params = {num(4)};
  twice.origins = {"Mul_1"};
  plan.steps = {add, twice};
  plan.objects = {"kernels_0.so"};
  plan.weights_bytes = 16;
  return plan;
}

const char* const kTwoStepSource = R"(
extern "C" void k_add(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  const float* w = (const float*)args->buffers[1];
  float* y = (float*)args->buffers[2];
  for (long i = begin; i < end; i++)
    for (long j = 0; j < 4; j++) y[i * 4 + j] = x[i * 4 + j] + w[j];
}
extern "C" void k_twice(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  float* y = (float*)args->buffers[1];
  const long width = args->params[0];
  for (long i = begin * width; i < end * width; i++) y[i] = x[i] * 2;
}
)";

const std::vector<float> kTwoStepWeights{1, 2, 3, 4};

}  // namespace cppgen::rt::test
