// One signal ends every phase, and nothing is left behind.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "cppgen/support/file_io.h"
#include "tests/resilience/fixture.h"

namespace cppgen {
namespace {

class Signals : public Resilience {
 protected:
  void expect_clean_end(const Ended& ended, int status) const {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err, "cppgen: interrupted\n");
    EXPECT_EQ(temporary_files(), std::vector<std::string>());
    for (const char* place : {"/tmp", "/locks"}) EXPECT_EQ(names_in(cache() + place), std::vector<std::string>());
  }

  // A window of 2^31 x 2^31 at each of 3,072 places: a kernel that nobody sees the end of.
  std::string endless_kernel() const {
    ModelMaker maker;
    maker.input("x", {"1", "3", "32", "32"}).output("y");
    auto& node = maker.node("MaxPool", {"x"}, {"y"});
    auto& shape = *node.add_attribute();
    shape.set_name("kernel_shape");
    shape.set_type(onnx::AttributeProto::INTS);
    for (int i = 0; i < 2; i++) shape.add_ints((int64_t{1} << 31) - 1);
    auto& pad = *node.add_attribute();
    pad.set_name("auto_pad");
    pad.set_type(onnx::AttributeProto::STRING);
    pad.set_s("SAME_UPPER");
    return write("kernel.onnx", maker);
  }

  // Sums of exponentials of constants, which are folded for many seconds: nearly all that is folded at most.
  std::string long_folding() const {
    ModelMaker maker;
    maker.input("x", {"1", "1"});
    maker.initializer("a", {1000, 1000}, onnx::TensorProto::FLOAT).set_raw_data(floats(0.001f, 1'000'000));
    std::vector<std::string> terms{"x"};
    for (int i = 0; i < 2000; i++) {
      terms.push_back("s" + std::to_string(i));
      maker.node("ReduceLogSumExp", {"a"}, {terms.back()});
    }
    maker.node("Sum", terms, {"y"});
    maker.output("y");
    return write("folding.onnx", maker);
  }

  static bool is_running(pid_t pid) {
    const auto stat = try_read_file("/proc/" + std::to_string(pid) + "/stat");
    return stat && stat->find(") Z") == std::string::npos;
  }
};

TEST_F(Signals, EndAKernel) {
  const std::string model = endless_kernel();
  const std::string package = path("package");
  ASSERT_EQ(run({"compile", model, "-o", package}).status, 0);
  for (const auto& [signal, status] : std::map<int, int>{{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}})
    expect_clean_end(run_and_signal_after({"run", package}, signal, 1), status);
  expect_clean_end(run_and_signal_after({"run", model, "--reference"}, SIGTERM, 1), 143);
}

TEST_F(Signals, EndFolding) {
  expect_clean_end(run_and_signal_after({"run", long_folding()}, SIGTERM, 1), 143);
  expect_clean_end(run_and_signal_after({"explain", long_folding()}, SIGINT, 1), 130);
}

TEST_F(Signals, EndCompilersWithAllTheirProcesses) {
  use_compiler("sleep 600 & echo $! > " + path("pid") + "; mv " + path("pid") + " " + path("started") + "; sleep 600");
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(path("compiled"));
    std::filesystem::remove(path("started"));
    expect_clean_end(run_and_signal({"run", inline_model("m.onnx", 1)}, signal, path("started")), 128 + signal);
    pid_t sleeper = 0;
    std::ifstream(path("started")) >> sleeper;
    ASSERT_GT(sleeper, 0);
    for (int i = 0; i < 1000 && is_running(sleeper); i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(is_running(sleeper));
  }
}

// Nothing of the program runs any more: the system ends what it started.
TEST_F(Signals, KilledProgramsLeaveNoCompiler) {
  use_compiler("sleep 600 & echo $! > " + path("pid") + "; mv " + path("pid") + " " + path("started") + "; sleep 600");
  const Ended ended = run_and_signal({"run", inline_model("m.onnx", 1)}, SIGKILL, path("started"));
  EXPECT_EQ(ended.status, -SIGKILL);
  pid_t sleeper = 0;
  std::ifstream(path("started")) >> sleeper;
  ASSERT_GT(sleeper, 0);
  for (int i = 0; i < 1000 && is_running(sleeper); i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_running(sleeper));
}

TEST_F(Signals, TheTimeLimitCoversAllPhases) {
  environment["CPPGEN_COMPILE_TIMEOUT_SECONDS"] = "1";
  const std::string model = long_folding();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"run", model},
                                             {"explain", model},
                                             {"run", model, "--reference"},
                                             {"compile", model, "-o", path("package")}}) {
    const Ended ended = run(command);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_NE(ended.err.find("(the limit is 1 s: CPPGEN_COMPILE_TIMEOUT_SECONDS)"), std::string::npos) << ended.err;
    EXPECT_EQ(temporary_files(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace cppgen
