#include "cppgen/compile/remote_kernel_cache.h"

#include <chrono>
#include <cstdlib>

#include "cppgen/support/hashing.h"
#include "tests/compile/fixture.h"
#include "tests/support/fake_server.h"
#include "tests/support/redis_server.h"
#include "tests/support/running_time.h"

namespace cppgen {
namespace {

class RemoteKernelCacheTest : public CompileTest {
 protected:
  void SetUp() override {
    if (server_.started()) return;
    if (std::getenv("CI")) FAIL() << "redis-server is not installed";
    GTEST_SKIP() << "redis-server is not installed";
  }
  RemoteAddress address() const { return *parse_remote_address(server_.url()); }

  // The options of a machine of its own.
  CompileOptions machine(const std::string& name) const {
    CompileOptions options = options_;
    options.cache_dir = path(name);
    options.remote_cache = address();
    return options;
  }

  // Compilers that a build on this machine starts; the kernels must work.
  int64_t processes_for(const CompileOptions& options) const {
    KernelBuilder builder(options);
    const std::vector<CompileJob> jobs{job("one", 1), job("two", 2), job("three", 3)};
    const auto objects = builder.build(jobs);
    for (size_t i = 0; i < objects.size(); i++) EXPECT_EQ(call_kernel(objects[i]), int(i) + 1);
    return builder.runner().started();
  }

  RedisServer server_;
  const KernelKey key_{sha256_hex("a"), "source = a\n"};
};

TEST_F(RemoteKernelCacheTest, MachinesShareKernels) {
  for (const bool background : {true, false}) {
    const std::string name = background ? "background" : "at_once";
    CompileOptions first = machine(name), second = machine(name + "2");
    first.non_blocking_remote_cache_write = background;
    first.extra_flags = second.extra_flags = {"-DNAME=" + name};  // keys of their own
    EXPECT_EQ(processes_for(first), 3);
    EXPECT_EQ(processes_for(second), 0);
    second.remote_cache.reset();
    EXPECT_EQ(processes_for(second), 0) << "it has them on its disk now";
  }
}

TEST_F(RemoteKernelCacheTest, SettingsOfCachesHold) {
  EXPECT_EQ(processes_for(machine("first")), 3);
  CompileOptions off = machine("off");
  off.force_disable_caches = true;
  EXPECT_EQ(processes_for(off), 3);
  CompileOptions again = machine("again");
  again.recompile = true;
  EXPECT_EQ(processes_for(again), 3);
}

TEST_F(RemoteKernelCacheTest, EntriesAreVerified) {
  RemoteKernelCache cache(address(), false);
  EXPECT_FALSE(cache.find(key_));
  cache.store(key_, "unit", "image");
  EXPECT_EQ(cache.find(key_), "image");
  EXPECT_FALSE(cache.find({key_.hex, "source = b\n"})) << "made from something else";
  RemoteStore store(address(), false);
  const std::string name = "cppgen:kernel:" + key_.hex;
  const std::string entry = store.get(name).value();
  for (size_t at : {size_t(0), entry.size() / 2, entry.size() - 1}) {
    std::string altered = entry;
    altered[at] ^= 1;
    store.set(name, altered);
    EXPECT_FALSE(cache.find(key_)) << "byte " << at;
  }
  for (const std::string& wrong : {std::string(), entry.substr(1), entry.substr(0, entry.size() - 1)}) {
    store.set(name, wrong);
    EXPECT_FALSE(cache.find(key_));
  }
  const KernelKey other{sha256_hex("b"), key_.dump};
  store.set("cppgen:kernel:" + other.hex, entry);
  EXPECT_FALSE(cache.find(other)) << "the entry of another key";
  store.set(name, entry);
  EXPECT_EQ(cache.find(key_), "image");
}

TEST_F(RemoteKernelCacheTest, ADeadServerChangesNothing) {
  CompileOptions options = machine("alone");
  options.remote_cache->port = free_port();
  EXPECT_EQ(processes_for(options), 3);
  EXPECT_EQ(processes_for(options), 0);
}

// Its answers would go on for ever: neither the lookups nor the stores of a build wait for them.
TEST_F(RemoteKernelCacheTest, AServerThatDripsDelaysABuildByASecond) {
  for (const bool background : {true, false}) {
    const FakeServer server([](const FakeServer::Connection& connection) {
      if (connection.receive()) connection.drip("$1000\r\n" + std::string(2000, 'x'));
    });
    CompileOptions options = machine(background ? "drips" : "drips2");
    options.remote_cache->port = server.port();
    options.non_blocking_remote_cache_write = background;
    const RunningTime time;
    EXPECT_EQ(processes_for(options), 3);
    EXPECT_LT(time.seconds(), 10);
    EXPECT_LE(server.connections(), 2);
  }
}

TEST_F(RemoteKernelCacheTest, AKeyOfAnotherTypeIsAMiss) {
  const CompileOptions first = machine("first"), second = machine("second");
  EXPECT_EQ(processes_for(first), 3);
  const std::string name = "cppgen:kernel:" + KernelBuilder(first).key_of(job("one", 1)).hex;
  server_.command({"DEL", name}), server_.command({"LPUSH", name, "a"});
  EXPECT_EQ(processes_for(second), 1) << "the others come from the server";
  EXPECT_EQ(processes_for(machine("third")), 0) << "it was replaced";
}

}  // namespace
}  // namespace cppgen
