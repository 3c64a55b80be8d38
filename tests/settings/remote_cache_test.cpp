// Settings of the remote cache.
#include <cstdlib>
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

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at++) count++;
  return count;
}

// How many compilers start for a model whose kernels the server has.
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

int64_t connections_of(const RedisServer& server) {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {"/usr/bin/redis-cli", "-p", std::to_string(server.port()), "info"};
  const ProcessResult info = runner.run(spec);
  EXPECT_TRUE(info.ok()) << info.output;
  const std::string field = "total_connections_received:";
  return std::strtoll(info.output.c_str() + info.output.find(field) + field.size(), nullptr, 10);
}

// The thread that writes in the background has a connection of its own. All that was written is there in both cases.
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
  expect_effect<int64_t>("0", connections, 2, 1);
}

}  // namespace
}  // namespace cppgen
