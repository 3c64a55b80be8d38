#include "cppgen/compile/shared_kernel_cache.h"

#include <fcntl.h>

#include "cppgen/support/hashing.h"
#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

class SharedKernelCacheTest : public CompileTest {
 protected:
  SharedKernelCacheTest() {
    KernelCache cache(path("cache"));
    EXPECT_TRUE(cache.store(key, "unit", "image").entry);
    entry = KernelCache::entry_path(path("cache"), key.hex);
    for (const std::string& folder : {parent_directory(parent_directory(entry)), parent_directory(entry)})
      EXPECT_EQ(::chmod(folder.c_str(), 0755), 0);
    EXPECT_EQ(::chmod(entry.c_str(), 0644), 0);
  }
  const KernelKey key{sha256_hex("a"), "source = a\n"};
  std::string entry;
};

TEST_F(SharedKernelCacheTest, FindsWhatACacheStored) {
  const SharedKernelCache shared(path("cache"));
  const auto found = shared.find(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, entry);
  EXPECT_FALSE(shared.find({sha256_hex("b"), ""}));
}

TEST_F(SharedKernelCacheTest, NothingIsWritten) {
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, entry.c_str(), old, 0), 0);
  EXPECT_TRUE(SharedKernelCache(path("cache")).find(key));
  struct stat st;
  ASSERT_EQ(::stat(entry.c_str(), &st), 0);
  EXPECT_EQ(st.st_mtim.tv_sec, 1000);
  ASSERT_EQ(write_file(entry, "damaged"), 0);
  EXPECT_FALSE(SharedKernelCache(path("cache")).find(key));
  EXPECT_EQ(read_file(entry), "damaged");
  EXPECT_FALSE(SharedKernelCache(path("absent")).find(key));
  EXPECT_FALSE(file_exists(path("absent")));
}

TEST_F(SharedKernelCacheTest, WhatOthersCanWriteIsNotRead) {
  for (const std::string& unsafe : {entry, parent_directory(entry), parent_directory(parent_directory(entry))}) {
    struct stat st;
    ASSERT_EQ(::stat(unsafe.c_str(), &st), 0);
    ASSERT_EQ(::chmod(unsafe.c_str(), st.st_mode | S_IWOTH), 0);
    EXPECT_FALSE(SharedKernelCache(path("cache")).find(key)) << unsafe;
    ASSERT_EQ(::chmod(unsafe.c_str(), st.st_mode), 0);
    EXPECT_TRUE(SharedKernelCache(path("cache")).find(key));
  }
  ASSERT_EQ(::chmod(path("cache").c_str(), 0775), 0);
  EXPECT_THROW(SharedKernelCache(path("cache")), UserError);
  ASSERT_EQ(::chmod(path("cache").c_str(), 0755), 0);
  EXPECT_THROW(SharedKernelCache{entry}, UserError) << "not a directory";
}

TEST_F(SharedKernelCacheTest, BuildersReadItBehindTheirOwn) {
  build_kernels({job("one", 1)}, options_);
  options_.cache_dir_shared = path("cache"), options_.cache_dir = path("own");
  options_.cxx = "/bin/false";
  EXPECT_THROW(build_kernels({job("one", 1)}, options_), UserError) << "another compiler, another key";
  options_.cxx = CompileOptions().cxx;
  const auto built = build_kernels({job("one", 1)}, options_);
  EXPECT_TRUE(built[0].from_cache);
  EXPECT_FALSE(file_exists(path("own/kernels")));
  options_.kernel_cache = false;
  EXPECT_FALSE(build_kernels({job("one", 1)}, options_)[0].from_cache);
}

}  // namespace
}  // namespace cppgen
