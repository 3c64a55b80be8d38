#include "tests/cli/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "cppgen/support/file_io.h"

namespace cppgen {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The CPU time of a process and its threads, by its own account: fields 14 and 15 of its stat file (proc(5)).
double processor_seconds(int pid) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string skipped;
  for (int i = 3; i < 14; i++) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / double(sysconf(_SC_CLK_TCK));
}

}  // namespace

CliTest::CliTest() : program(CPPGEN_PROGRAM) {
  const char* search = std::getenv("PATH");
  environment = {{"PATH", search ? search : ""},
                 {"HOME", path("home")},
                 {"TMPDIR", path("tmp")},
                 {"XDG_CACHE_HOME", path("cache")}};
  std::filesystem::create_directories(path("tmp"));
}

int CliTest::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv{"cppgen"}, variables;
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, path("stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, path("stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // A shell starts programs in the background, and so perhaps the tests, with these signals ignored.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) sigaddset(&signals, signal);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(argv).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << program;
  return pid;
}

Ended CliTest::finish(int pid) const {
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(path("stdout")),
          read_file(path("stderr"))};
}

Ended CliTest::run(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }

Ended CliTest::run_and_signal(const std::vector<std::string>& arguments, int signal, const std::string& file) const {
  return signal_when(start(arguments), signal, [&] { return std::filesystem::exists(file); });
}

Ended CliTest::run_and_signal_after(const std::vector<std::string>& arguments, int signal, double seconds) const {
  const int pid = start(arguments);
  return signal_when(pid, signal, [&] { return processor_seconds(pid) >= seconds; });
}

Ended CliTest::signal_when(int pid, int signal, const std::function<bool()>& ready) const {
  for (int i = 0; i < 6000 && !ready(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(ready());
  kill(pid, signal);
  return finish(pid);
}

std::vector<std::string> CliTest::temporary_files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("tmp")))
    names.push_back(entry.path().filename().string());
  return names;
}

std::string CliTest::symbolic_model() const {
  ModelMaker maker;
  maker.input("x", {"N", "3"}).output("y").node("Relu", {"x"}, {"y"});
  return write("symbolic.onnx", maker);
}

std::string CliTest::gather_model() const {
  ModelMaker maker;
  maker.input("ids", {"4"}, onnx::TensorProto::INT64).output("rows").node("Gather", {"table", "ids"}, {"rows"});
  auto& table = maker.initializer("table", {3, 2}, onnx::TensorProto::FLOAT);
  for (float value : {10.f, 11.f, 20.f, 21.f, 30.f, 31.f}) table.add_float_data(value);
  return write("gather.onnx", maker);
}

std::string onnx_test(const std::string& name) { return "/usr/share/libonnx-testdata/data/node/" + name; }

}  // namespace cppgen
