// test_stress SECONDS: eight threads run one session on inputs of ever other sizes and compare every result with what
// is known of it. Some seconds of it are part of the tests; an hour of it is a command of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "cppgen/flow/compile/compiler.h"
#include "runtime/session/session.h"
#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

constexpr int kThreads = 8, kMaxRows = 300, kColumns = 48;

// y = Relu(x w) + x: with w = 2 on the diagonal it is 3 x for x > 0, else x. z counts the rows by a run-time sum.
std::string write_model(const TempFolder& folder) {
  ModelMaker maker;
  maker.input("x", {"N", std::to_string(kColumns)}).output("y").output("z");
  auto& w = maker.initializer("w", {kColumns, kColumns}, onnx::TensorProto::FLOAT);
  for (int i = 0; i < kColumns * kColumns; i++) w.add_float_data(i % (kColumns + 1) == 0 ? 2.f : 0.f);
  maker.node("MatMul", {"x", "w"}, {"p"});
  maker.node("Relu", {"p"}, {"r"});
  maker.node("Add", {"r", "x"}, {"y"});
  maker.node("ReduceMax", {"y"}, {"z"});
  return folder.write("stress.onnx", maker.bytes());
}

bool run_once(rt::Session& session, std::mt19937& random) {
  const auto rows = int64_t(random() % kMaxRows);
  rt::Tensor x(DType::f32, {rows, kColumns});
  float greatest = -1e30f;
  for (int64_t i = 0; i < x.elements(); i++) x.as<float>()[i] = float(int(random() % 201) - 100);
  const rt::TensorView view = x.view();
  const std::vector<rt::Tensor> results = session.run(std::span(&view, 1));
  bool right = results[0].dims() == x.dims();
  for (int64_t i = 0; right && i < x.elements(); i++) {
    const float value = x.as<float>()[i], expected = value > 0 ? 3 * value : value;
    greatest = std::max(greatest, expected);
    right = results[0].as<float>()[i] == expected;
  }
  return right && (rows == 0 || *results[1].as<float>() == greatest);
}

// A process that forks: parent and child each go on with a session of their own.
bool run_in_fork(const std::string& package) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    rt::Session session(rt::Executable::load(package), {.threads = 2});
    std::mt19937 random(1);
    bool right = true;
    for (int i = 0; i < 20; i++) right &= run_once(session, random);
    _exit(right ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int stress(double seconds) {
  const TempFolder folder;
  CompileRequest request;
  request.model = write_model(folder);
  request.settings.cache_dir = (folder.path / "cache").string();
  request.output = (folder.path / "package").string();
  compile_model(request);
  if (!run_in_fork(request.output)) return std::fprintf(stderr, "a forked child failed\n"), 1;
  rt::Session session(rt::Executable::load(request.output), {.threads = 4});
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::atomic<int64_t> runs{0};
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      std::mt19937 random{unsigned(t)};
      do {
        if (!run_once(session, random)) failed = true;
        runs++;
      } while (!failed && std::chrono::steady_clock::now() < end);
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%lld runs on %d threads: %s\n", static_cast<long long>(runs), kThreads, failed ? "WRONG" : "right");
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace cppgen

int main(int argc, char** argv) {
  try {
    return cppgen::stress(argc > 1 ? std::atof(argv[1]) : 3);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
