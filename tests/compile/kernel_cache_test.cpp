#include "cppgen/compile/kernel_cache.h"

#include <fcntl.h>

#include "cppgen/support/hashing.h"
#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

class KernelCacheTest : public CompileTest {
 protected:
  static KernelKey key(const std::string& name) { return {sha256_hex(name), "source = " + name + "\nisa = avx2\n"}; }

  static void set_age(const std::string& path, time_t seconds) {
    const timespec when{::time(nullptr) - seconds, 0};
    const timespec times[2] = {when, when};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
};

TEST_F(KernelCacheTest, StoresAndFinds) {
  KernelCache cache(path("cache"));
  EXPECT_FALSE(cache.find(key("a")));
  const auto stored = cache.store(key("a"), "unit", "image");
  ASSERT_TRUE(stored.entry) << stored.reason;
  const auto found = KernelCache(path("cache")).find(key("a"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, path("cache/kernels/") + key("a").hex.substr(0, 2) + "/" + key("a").hex.substr(2) + ".so");
  const auto entries = cache.list();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].key, key("a").hex);
  EXPECT_EQ(entries[0].name, "unit");
  EXPECT_EQ(entries[0].key_dump, key("a").dump);
  EXPECT_EQ(cache.stats().bytes, entries[0].bytes);
}

TEST_F(KernelCacheTest, DamagedEntriesAreRemoved) {
  KernelCache cache(path("cache"));
  cache.store(key("a"), "a", std::string(5000, 'a'));
  cache.store(key("b"), "b", "b");
  const std::string a = cache.find(key("a"))->path, b = cache.find(key("b"))->path;
  ASSERT_EQ(::truncate(a.c_str(), 1000), 0);
  EXPECT_FALSE(cache.find(key("a")));
  EXPECT_FALSE(file_exists(a));
  cache.store(key("a"), "a", "a");
  std::filesystem::copy_file(b, a, std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.find(key("a"))) << "another key's entry";
  ASSERT_EQ(write_file(a, "garbage"), 0);
  EXPECT_FALSE(cache.find(key("a")));
  std::filesystem::create_symlink(b, a);
  EXPECT_FALSE(cache.find(key("a"))) << "links are not followed";
  EXPECT_EQ(cache.stats().rejected, 3);
  EXPECT_TRUE(cache.find(key("b")));
}

TEST_F(KernelCacheTest, TrimDropsTheLeastRecentlyUsed) {
  KernelCache cache(path("cache"));
  std::vector<std::string> paths;
  for (const char* name : {"a", "b", "c"}) {
    paths.push_back(cache.store(key(name), name, std::string(1000, 'x')).entry->path);
  }
  for (int i = 0; i < 3; ++i) set_age(paths[i], 1000 - 100 * i);
  ASSERT_TRUE(cache.find(key("a"))) << "a hit makes it the most recent";
  const int64_t one = cache.stats().bytes / 3;
  EXPECT_EQ(cache.trim(3 * one), 0);
  EXPECT_EQ(cache.trim(2 * one), 1);
  EXPECT_FALSE(file_exists(paths[1]));
  EXPECT_EQ(cache.trim(0), 2);
  EXPECT_EQ(cache.stats().entries, 0);
}

TEST_F(KernelCacheTest, EntriesInUseStay) {
  KernelCache cache(path("cache"));
  auto used = cache.store(key("a"), "a", "image").entry;
  KernelCache other(path("cache"));
  EXPECT_EQ(other.trim(0), 0);
  EXPECT_EQ(other.clear(), 0);
  EXPECT_TRUE(file_exists(used->path));
  used.reset();
  EXPECT_EQ(other.clear(), 1);
}

TEST_F(KernelCacheTest, ClearRemovesEverythingUnused) {
  KernelCache cache(path("cache"));
  cache.store(key("a"), "a", "image");
  ASSERT_TRUE(cache.keep_source(key("a"), "source"));
  EXPECT_EQ(cache.clear(), 1);
  EXPECT_FALSE(file_exists(path("cache/failed")));
  EXPECT_EQ(cache.stats().entries, 0);
}

TEST_F(KernelCacheTest, ExplainsAMissByTheNearestEntry) {
  KernelCache cache(path("cache"));
  EXPECT_TRUE(cache.explain_miss(key("a")).empty());
  cache.store({sha256_hex("1"), "source = x\nisa = scalar\nflags = -O0\n"}, "", "1");
  cache.store({sha256_hex("2"), "source = a\nisa = avx2\nflags = -O2\n"}, "", "2");
  EXPECT_EQ(cache.explain_miss({sha256_hex("3"), "source = a\nisa = avx2\nflags = -O3\n"}),
            std::vector<std::string>{"flags: was '-O2', is '-O3'"});
}

TEST_F(KernelCacheTest, BuildLocksExclude) {
  KernelCache one(path("cache")), two(path("cache"));
  {
    const auto lock = one.try_build_lock(key("a"));
    EXPECT_EQ(lock.outcome, LockOutcome::locked);
    EXPECT_EQ(two.try_build_lock(key("a")).outcome, LockOutcome::busy);
    EXPECT_EQ(two.try_build_lock(key("b")).outcome, LockOutcome::locked);
  }
  EXPECT_EQ(two.try_build_lock(key("a")).outcome, LockOutcome::locked);
}

TEST_F(KernelCacheTest, UnsafeDirectoryIsRefused) {
  ASSERT_EQ(make_directories(path("shared")), 0);
  ASSERT_EQ(::chmod(path("shared").c_str(), 0777), 0);
  try {
    KernelCache cache(path("shared"));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(),
              "the cache directory (CPPGEN_CACHE_DIR) '" + path("shared") +
                  "' is writable by everyone (mode 0777): run chmod 700 on it or choose another directory");
  }
}

}  // namespace
}  // namespace cppgen
