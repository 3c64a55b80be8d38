// On a machine that others use, measurements are repeated and marked; what is stored can be renewed.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Processes that use all CPUs twice.
class BusyMachine {
 public:
  BusyMachine() {
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); i++) {
      const pid_t pid = fork();
      if (pid == 0)
        for (volatile bool spin = true; spin;) {
        }
      processes_.push_back(pid);
    }
  }
  ~BusyMachine() {
    for (const pid_t pid : processes_) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
  }

 private:
  std::vector<pid_t> processes_;
};

class Busy : public CliTest {
 protected:
  std::string product() const {
    ModelMaker maker;
    maker.input("x", {"512", "512"}).input("w", {"512", "512"}).output("y").node("MatMul", {"x", "w"}, {"y"});
    return write("product.onnx", maker);
  }
  Ended succeed(const std::vector<std::string>& command) const {
    const Ended ended = run(command);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended;
  }
};

TEST_F(Busy, MeasurementsAreRepeatedAndMarked) {
  const std::string model = product();
  succeed({"run", model});
  const BusyMachine busy;
  const Ended bench = succeed({"bench", model, "--runs", "100", "--json"});
  EXPECT_EQ(json::parse(bench.out)["under_load"], true) << bench.out;
  EXPECT_GT(json::parse(bench.out)["other_programs"], 0.05);
  EXPECT_EQ(json::parse(bench.out)["runs"], 100);
  EXPECT_NE(bench.err.find("measuring again (2 of 3)"), std::string::npos) << bench.err;
  EXPECT_NE(bench.err.find("the result is marked"), std::string::npos) << bench.err;
  const Ended sweep = succeed({"bench", model, "--seconds", "0.6", "--sweep", "MIN_CHUNK_SIZE=64,512"});
  EXPECT_NE(sweep.out.find("busy     other programs took"), std::string::npos) << sweep.out;
  EXPECT_EQ(sweep.err.find("measuring again"), std::string::npos) << "the seconds bound it";
  const Ended calm = succeed({"bench", model, "--runs", "100", "--any-load", "--json"});
  EXPECT_EQ(json::parse(calm.out)["under_load"], false);
  EXPECT_EQ(calm.err.find("other programs"), std::string::npos) << calm.err;

  const json profile = json::parse(succeed({"profile", model, "--runs", "100", "--json"}).out);
  EXPECT_EQ(profile["under_load"], true);
  EXPECT_EQ(profile["peaks"]["under_load"], true);
  EXPECT_NE(succeed({"profile", model, "--runs", "100"}).out.find("(of a busy machine, perhaps too low)"),
            std::string::npos);
  EXPECT_EQ(json::parse(succeed({"explain", model, "--json"}).out)["profile"]["under_load"], true) << "it is kept";
}

TEST_F(Busy, StoredMeasurementsAreRenewedAndCleared) {
  const std::string model = product(), folder = path("cache/cppgen/peaks");
  const std::vector<std::string> profile{"profile", model, "--runs", "2"};
  succeed(profile);
  ASSERT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  const std::string file = fs::directory_iterator(folder)->path().string(), measured = read_file(file);
  std::string halved;
  std::istringstream lines(measured);
  for (double number = 0; lines >> number;) halved += std::to_string(number / 2) + "\n";
  ASSERT_EQ(write_file(file, halved), 0);
  succeed(profile);
  EXPECT_EQ(read_file(file), halved) << "they are kept";
  std::vector<std::string> renew = profile;
  renew.push_back("--renew");
  succeed(renew);
  EXPECT_NE(read_file(file), halved);

  EXPECT_EQ(run({"cache", "clear", "--kind", "odd"}).status, 2);
  EXPECT_EQ(run({"cache", "list", "--kind", "peaks"}).status, 2);
  const json one = json::parse(succeed({"cache", "clear", "--kind", "peaks", "--json"}).out);
  EXPECT_EQ(one["removed_peaks"], 1);
  EXPECT_EQ(one["removed_models"], 0);
  EXPECT_FALSE(fs::exists(file));
  succeed(profile);
  ASSERT_EQ(fs::create_directories(path("cache/cppgen/tuning")), true);
  const json all = json::parse(succeed({"cache", "clear", "--json"}).out);
  EXPECT_EQ(all["removed_peaks"], 1);
  EXPECT_GE(all["removed_models"], 1);
  EXPECT_GE(all["removed_profiles"], 1);
  EXPECT_TRUE(fs::exists(path("cache/cppgen/tuning"))) << "tunings take long";
  succeed({"cache", "clear", "--kind", "tunings"});
  EXPECT_FALSE(fs::exists(path("cache/cppgen/tuning")));
}

}  // namespace
}  // namespace cppgen
