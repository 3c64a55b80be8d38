// Settings of the remote cache.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cppgen/support/subprocess.h"
#include "tests/settings/effect.h"
#include "tests/support/redis_server.h"

namespace cppgen {
namespace {

// redis-server is among the packages of the tests; where it is missing, only CI fails.
#define SKIP_WITHOUT(server)                                          \
  if (!(server).started()) {                                          \
    if (std::getenv("CI")) FAIL() << "redis-server is not installed"; \
    GTEST_SKIP() << "redis-server is not installed";                  \
  }

// Further effects than the one that the table's test shows.
class RemoteCacheSetting : public SettingEffect {};

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at++) count++;
  return count;
}

// Counts the compilers that start for a model whose kernels the server has.
TEST_F(SettingEffect, REMOTE_CACHE) {
  const RedisServer server;
  SKIP_WITHOUT(server);
  use_compiler();
  const std::string model = relu();
  environment["CPPGEN_REMOTE_CACHE"] = server.url();
  succeed_anew({"run", model});
  EXPECT_EQ(commands().size(), 1u);
  environment.erase("CPPGEN_REMOTE_CACHE");
  const auto compiled = [&] {
    succeed_anew({"run", model});
    return commands().size();
  };
  expect_effect<size_t>(server.url(), compiled, 1, 0);

  environment["CPPGEN_REMOTE_CACHE"] = "redis://127.0.0.1:" + std::to_string(free_port());
  const Ended alone = succeed_anew({"run", model});
  EXPECT_EQ(commands().size(), 1u);
  EXPECT_EQ(count_of(alone.err, "the remote cache (CPPGEN_REMOTE_CACHE)"), 1u) << alone.err;
  for (const char* wrong : {"1", "redis://", "redis://host:port"}) {
    environment["CPPGEN_REMOTE_CACHE"] = wrong;
    EXPECT_EQ(run({"run", model}).status, 2) << wrong;
  }
  environment.erase("CPPGEN_REMOTE_CACHE");
  for (const char* wrong : {"1", "redis://host:port"}) {
    environment["TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE"] = wrong;
    const Ended ignored = succeed_anew({"run", model});
    EXPECT_EQ(count_of(ignored.err, "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE"), 1u) << ignored.err;
  }
}

// Addresses that are refused, wherever they come from, and also those that were meant for other words.
TEST_F(RemoteCacheSetting, PasswordsAreNotPrinted) {
  const std::string model = relu();
  for (const std::string value : {"rediss:/me:sesame@host", "http://:sesame@host", "me:sesame@host", "sesame@host",
                                  "redis://sesame@host", "redis://:sesame", "rediss://me:sesame@host:99999"}) {
    environment["CPPGEN_REMOTE_CACHE"] = value;
    Ended ended = run({"run", model});
    EXPECT_EQ(ended.status, 2) << value;
    EXPECT_EQ(count_of(ended.out + ended.err, "sesame"), 0u) << ended.err;
    environment.erase("CPPGEN_REMOTE_CACHE");
    environment["TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE"] = value;
    ended = run({"config"});
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(count_of(ended.out + ended.err, "sesame"), 0u) << ended.err;
    environment.erase("TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE");
    ended = run({"run", model, "--set", "REMOTE_CACHE=" + value});
    EXPECT_EQ(ended.status, 2) << value;
    EXPECT_EQ(count_of(ended.out + ended.err, "sesame"), 0u) << ended.err;
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", model, "REMOTE_CACHE=redis://:sesame@host"},
        {"run", model, "--set", "redis://:sesame@host"},
        {"run", model, "--remote-cache", "rediss://me:sesame@host"}}) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(count_of(ended.out + ended.err, "sesame"), 0u) << ended.err;
  }
  environment["CPPGEN_REMOTE_CACHE"] = "rediss://me:sesame@127.0.0.1:" + std::to_string(free_port());
  const Ended alone = run({"run", model});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(count_of(alone.err, "is not used"), 1u) << alone.err;
  EXPECT_EQ(count_of(alone.out + alone.err, "sesame"), 0u) << alone.err;
}

// Removes the server's kernels, and returns how many models it has.
size_t forget_kernels(const RedisServer& server) {
  std::istringstream names(server.command({"KEYS", "cppgen:kernel:*"}));
  for (std::string name; std::getline(names, name);) server.command({"DEL", name});
  return count_of(server.command({"KEYS", "cppgen:model:*"}), "cppgen:model:");
}

TEST_F(RemoteCacheSetting, SharesWholeModels) {
  const RedisServer server;
  SKIP_WITHOUT(server);
  use_compiler();
  const std::string model = relu();
  environment["CPPGEN_REMOTE_CACHE"] = server.url();
  succeed_anew({"run", model});
  EXPECT_EQ(commands().size(), 1u);
  EXPECT_EQ(forget_kernels(server), 1u);
  const auto compilers = [&] {
    forget_kernels(server);
    std::filesystem::remove_all(path("cache")), std::filesystem::remove(path("commands"));
    EXPECT_EQ(verified(model), 0);
    EXPECT_EQ(verified(model), 0);
    return commands().size();
  };
  EXPECT_EQ(compilers(), 0u) << "the whole model came from the server";
  std::string name = server.command({"KEYS", "cppgen:model:*"});
  name = name.substr(0, name.find('\n'));
  const std::string length = server.command({"STRLEN", name});
  server.command({"SETRANGE", name, "5000", "damaged"});
  EXPECT_EQ(server.command({"STRLEN", name}), length);
  EXPECT_EQ(compilers(), 1u) << "a damaged entry counts as absent";
  EXPECT_EQ(compilers(), 0u) << "and is replaced";
  environment["CPPGEN_CXX"] = "g++";
  succeed_anew({"run", model});
  EXPECT_EQ(forget_kernels(server), 2u) << "another compiler has entries of its own";
  environment["CPPGEN_DEBUG_LEVEL"] = "1";
  succeed_anew({"run", model});
  EXPECT_EQ(forget_kernels(server), 2u) << "debug information names places on this machine";
}

// A model of 20 MB of weights is not shared, but its kernels are.
TEST_F(RemoteCacheSetting, LeavesLargeModels) {
  const RedisServer server;
  SKIP_WITHOUT(server);
  ModelMaker maker;
  maker.input("x", {"1", "5000"}).output("y").node("Mul", {"x", "w"}, {"y"});
  std::string weights(20'000'000, '\0');
  for (size_t i = 0; i < weights.size(); i++) weights[i] = char(i % 61);
  maker.initializer("w", {1000, 5000}, onnx::TensorProto::FLOAT).set_raw_data(weights);
  const std::string model = write("large.onnx", maker);
  environment["CPPGEN_REMOTE_CACHE"] = server.url();
  succeed_anew({"run", model});
  EXPECT_NE(server.command({"KEYS", "cppgen:kernel:*"}).find("cppgen:kernel:"), std::string::npos);
  EXPECT_EQ(forget_kernels(server), 0u);
}

int64_t connections_of(const RedisServer& server) {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {"/usr/bin/redis-cli", "-p", std::to_string(server.port()), "info"};
  const ProcessResult info = runner.run(spec);
  EXPECT_TRUE(info.ok()) << info.output;
  const std::string field = "total_connections_received:";
  return std::strtoll(info.output.c_str() + info.output.find(field) + field.size(), nullptr, 10);
}

// The thread that writes in the background has a connection of its own, in addition to that for kernels, and those that
// ask for the model and store it. All that was written is there in both cases.
TEST_F(SettingEffect, NON_BLOCKING_REMOTE_CACHE_WRITE) {
  const RedisServer server;
  SKIP_WITHOUT(server);
  use_compiler();
  environment["CPPGEN_REMOTE_CACHE"] = server.url();
  int models = 0;
  const auto connections = [&] {
    const std::string model = model_of("Relu", size_t(100 + models++));  // a kernel that the server does not have
    const int64_t before = connections_of(server);
    succeed_anew({"run", model});
    EXPECT_EQ(commands().size(), 1u);
    const int64_t during = connections_of(server) - before - 1;
    succeed_anew({"run", model});
    EXPECT_EQ(commands().size(), 0u);
    return during;
  };
  expect_effect<int64_t>("0", connections, 4, 3);
}

}  // namespace
}  // namespace cppgen
