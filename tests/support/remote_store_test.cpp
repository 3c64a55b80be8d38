#include "cppgen/support/remote_store.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/redis_server.h"
#include "tests/support/running_time.h"

namespace cppgen {
namespace {

TEST(RemoteAddress, Forms) {
  const auto full = parse_remote_address("redis://me:se:cr@t@cache.example:7000/3");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->user, "me");
  EXPECT_EQ(full->password, "se:cr@t");
  EXPECT_EQ(full->text(), "redis://cache.example:7000/3") << "without what is secret";
  EXPECT_EQ(parse_remote_address("redis://host")->text(), "redis://host:6379/0");
  EXPECT_EQ(parse_remote_address("redis://host/")->text(), "redis://host:6379/0");
  EXPECT_EQ(parse_remote_address("redis://:word@host/1")->password, "word");
  const auto secure = parse_remote_address("rediss://:word@[::1]:7000/1");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls && !full->tls);
  EXPECT_EQ(secure->host, "::1");
  EXPECT_EQ(secure->text(), "rediss://[::1]:7000/1");
  EXPECT_EQ(parse_remote_address("redis://[fe80::2]")->text(), "redis://[fe80::2]:6379/0");
  for (const char* bad : {"redis://[::1", "redis://[]", "redis://::1", "redis://[::1]x", "rediss:/host", "", "1",
                          "host:6379", "http://host", "redis://", "redis://host:0", "redis://host:66000",
                          "redis://host:a", "redis://host/x", "redis://host/-1", "redis://user@host", "redis://:80"})
    EXPECT_FALSE(parse_remote_address(bad)) << bad;
}

// redis-server is among the packages of the tests; where it is missing, only CI fails.
#define START_OR_SKIP(server)                                         \
  if (!(server).started()) {                                          \
    if (std::getenv("CI")) FAIL() << "redis-server is not installed"; \
    GTEST_SKIP() << "redis-server is not installed";                  \
  }

RemoteAddress address_of(const RedisServer& server, const std::string& password = "") {
  RemoteAddress address = *parse_remote_address(server.url(2));
  address.password = password;
  return address;
}

TEST(RemoteStore, KeepsBytesByKey) {
  const RedisServer server;
  START_OR_SKIP(server);
  std::string bytes(3 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = char(i * 7);
  for (const bool background : {false, true}) {
    RemoteStore store(address_of(server), background);
    const std::string key = background ? "b" : "a";
    EXPECT_FALSE(store.get(key));
    store.set(key, bytes);
    store.set("empty", "");
    store.flush();
    EXPECT_EQ(RemoteStore(address_of(server), false).get(key), bytes);
    EXPECT_EQ(store.get("empty"), "");
    EXPECT_TRUE(store.usable());
  }
  RemoteAddress other = address_of(server);
  other.database = 1;
  EXPECT_FALSE(RemoteStore(other, false).get("a")) << "databases are separate";
}

TEST(RemoteStore, GivesThePassword) {
  const RedisServer server("secret");
  START_OR_SKIP(server);
  RemoteStore right(address_of(server, "secret"), false), wrong(address_of(server, "guess"), false),
      without(address_of(server), false);
  right.set("key", "value");
  EXPECT_EQ(right.get("key"), "value");
  EXPECT_FALSE(wrong.get("key"));
  EXPECT_FALSE(without.get("key"));
  EXPECT_TRUE(right.usable() && !wrong.usable() && !without.usable());
}

TEST(RemoteStore, AServerThatIsNotThereCostsOneWarning) {
  const RemoteAddress nowhere{"127.0.0.1", free_port(), 0, "", ""};
  testing::internal::CaptureStderr();
  const RunningTime time;
  for (const bool background : {false, true}) {
    RemoteStore store(nowhere, background);
    for (int i = 0; i < 100; i++) store.set("key", "value");
    EXPECT_FALSE(store.get("key"));
    store.flush();
    EXPECT_FALSE(store.usable());
  }
  EXPECT_LT(time.seconds(), 5);
  const std::string log = testing::internal::GetCapturedStderr();
  size_t warnings = 0;
  for (size_t at = 0; (at = log.find("CPPGEN_REMOTE_CACHE", at)) != log.npos; at++) warnings++;
  EXPECT_EQ(warnings, 1u) << log;
}

TEST(RemoteStore, AServerThatDisappearsIsLeftAlone) {
  RedisServer server;
  START_OR_SKIP(server);
  RemoteStore store(address_of(server), true);
  store.set("key", "value");
  store.flush();
  EXPECT_EQ(store.get("key"), "value");
  server.stop();
  for (int i = 0; i < 3; i++) store.set("key", std::string(1 << 22, 'x'));  // a broken pipe ends nothing
  store.flush();
  EXPECT_FALSE(store.get("key"));
  EXPECT_FALSE(store.usable());
}

}  // namespace
}  // namespace cppgen
