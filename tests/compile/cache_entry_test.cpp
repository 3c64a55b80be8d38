#include "cppgen/compile/cache_entry.h"

#include <gtest/gtest.h>

#include "cppgen/compile/kernel_key.h"
#include "cppgen/support/hashing.h"

namespace cppgen {
namespace {

const std::string kKey = sha256_hex("key");

std::string entry() { return encode_cache_entry({"image bytes", "unit\nname", "isa = avx2\n"}, kKey); }

TEST(CacheEntry, RoundTrip) {
  std::string why;
  const std::string bytes = entry();
  const auto view = decode_cache_entry(bytes, kKey, why);
  ASSERT_TRUE(view) << why;
  EXPECT_EQ(view->image, "image bytes");
  EXPECT_EQ(view->name, "unit name");
  EXPECT_EQ(view->key_dump, "isa = avx2\n");
}

TEST(CacheEntry, EveryTruncationIsDetected) {
  const std::string bytes = entry();
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string why;
    EXPECT_FALSE(decode_cache_entry(bytes.substr(0, size), kKey, why)) << size;
    EXPECT_EQ(why, "it is truncated or not a cache entry");
  }
}

TEST(CacheEntry, EveryChangedByteIsDetected) {
  const std::string bytes = entry();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes, why;
    damaged[i] ^= 1;
    EXPECT_FALSE(decode_cache_entry(damaged, kKey, why)) << i;
    EXPECT_FALSE(why.empty());
  }
}

TEST(CacheEntry, AnotherKeysEntryIsRefused) {
  std::string why;
  EXPECT_FALSE(decode_cache_entry(entry(), sha256_hex("other"), why));
  EXPECT_EQ(why, "it belongs to another key");
}

TEST(KernelKey, EveryFieldCounts) {
  CompileJob job;
  job.source = "source";
  job.isa_name = "avx2";
  const KernelKey base = make_kernel_key(job, {"-O3"}, {"g++"}, "headers", 1);
  EXPECT_EQ(make_kernel_key(job, {"-O3"}, {"g++"}, "headers", 1).hex, base.hex);
  CompileJob source = job, isa = job, symbols = job, name = job;
  source.source = "other";
  isa.isa_name = "avx512";
  symbols.expected_symbols = {"k"};
  name.name = "another name";
  EXPECT_NE(make_kernel_key(source, {"-O3"}, {"g++"}, "headers", 1).hex, base.hex);
  EXPECT_NE(make_kernel_key(isa, {"-O3"}, {"g++"}, "headers", 1).hex, base.hex);
  EXPECT_NE(make_kernel_key(symbols, {"-O3"}, {"g++"}, "headers", 1).hex, base.hex);
  EXPECT_EQ(make_kernel_key(name, {"-O3"}, {"g++"}, "headers", 1).hex, base.hex) << "a name is for messages";
  EXPECT_NE(make_kernel_key(job, {"-O", "3"}, {"g++"}, "headers", 1).hex, base.hex);
  EXPECT_NE(make_kernel_key(job, {"-O3"}, {"g++", "2"}, "headers", 1).hex, base.hex);
  EXPECT_NE(make_kernel_key(job, {"-O3"}, {"g++"}, "headers2", 1).hex, base.hex);
  EXPECT_NE(make_kernel_key(job, {"-O3"}, {"g++"}, "headers", 2).hex, base.hex);
}

TEST(KernelKey, DumpsTellTheDifference) {
  CompileJob job;
  job.isa_name = "avx2";
  const KernelKey before = make_kernel_key(job, {"-O3"}, {"g++"}, "h", 1);
  const KernelKey now = make_kernel_key(job, {"-O2", "-g"}, {"g++"}, "h", 2);
  EXPECT_EQ(compare_key_dumps(before.dump, now.dump),
            (std::vector<std::string>{"abi: was '1', is '2'", "flags: was '-O3', is '-O2 -g'"}));
  EXPECT_TRUE(compare_key_dumps(now.dump, now.dump).empty());
}

}  // namespace
}  // namespace cppgen
