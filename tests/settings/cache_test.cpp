// Settings of the compile pool and the caches.
#include <nlohmann/json.hpp>
#include <thread>

#include "cppgen/compile/kernel_cache.h"
#include "cppgen/package/model_cache.h"
#include "cppgen/support/file_io.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool from_cache(const Ended& ended) { return json::parse(ended.out)["from_cache"]; }

// Each compiler waits until as many as expected have started: they run at once, or the test sees fewer.
TEST_F(SettingEffect, COMPILE_THREADS) {
  constexpr int kKernels = 4;
  const std::string model = products(kKernels);
  use_compiler("mkdir -p " + path("at") + "; cd " + path("at") +
               "; touch $$; i=0; while [ $(ls | wc -l) -lt $WANTED ] && [ $i -lt 600 ]; do sleep 0.05; "
               "i=$((i+1)); done; ls | wc -l >> ../together; cd - > /dev/null");
  const auto at_once = [&] {
    fs::remove_all(path("at"));
    fs::remove(path("together"));
    const int64_t wanted = std::min<int64_t>(settings().compile_threads, kKernels);
    environment["WANTED"] = std::to_string(wanted);
    succeed_anew({"run", model});
    std::istringstream text(read_file(path("together")));
    int64_t least = kKernels;
    for (int64_t count = 0; text >> count;) least = std::min(least, count);
    return least;
  };
  expect_effect<int64_t>("3", at_once, std::min<int64_t>(Settings().compile_threads, kKernels), 3);
  expect_effect<int64_t>("1", at_once, std::min<int64_t>(Settings().compile_threads, kKernels), 1);
}

TEST_F(SettingEffect, COMPILE_TIMEOUT_SECONDS) {
  use_compiler("sleep $NAP");
  const std::string model = relu();
  const auto stopped = [&] {
    environment["NAP"] = settings().compile_timeout_seconds == 1 ? "600" : "2";
    fs::remove_all(path("cache"));
    return run({"run", model}).err.find("(the limit is 1 s: CPPGEN_COMPILE_TIMEOUT_SECONDS)") != std::string::npos;
  };
  expect_effect<bool>("1", stopped, false, true);
}

// An alias names a parent.
TEST_F(SettingEffect, CACHE_DIR) {
  const std::string model = relu();
  const auto elsewhere = [&] {
    fs::remove_all(path("elsewhere"));
    succeed_anew({"run", model});
    const bool found = fs::exists(path("elsewhere/kernels")) || fs::exists(path("elsewhere/cppgen/kernels"));
    EXPECT_NE(found, fs::exists(path("cache/cppgen/kernels")));
    return found;
  };
  expect_effect<bool>(path("elsewhere"), elsewhere, false, true);
}

TEST_F(SettingEffect, KERNEL_CACHE) {
  const std::string model = relu();
  const auto second_is_cached = [&] {
    succeed({"run", model});
    return from_cache(succeed({"run", model, "--json"}));
  };
  expect_effect<bool>("0", second_is_cached, true, false);
}

// Neither written nor read.
TEST_F(SettingEffect, FORCE_DISABLE_CACHES) {
  const std::string model = relu();
  using Seen = std::pair<bool, bool>;
  const auto see = [&] {
    succeed_anew({"run", model});
    const bool written = fs::exists(path("cache/cppgen"));
    environment["CPPGEN_RECOMPILE"] = "0";
    const auto given = environment;
    std::erase_if(environment, [](const auto& it) { return it.first.ends_with("FORCE_DISABLE_CACHES"); });
    succeed({"run", model});
    environment = given;
    return Seen(written, from_cache(succeed({"run", model, "--json"})));
  };
  expect_effect<Seen>("1", see, {true, true}, {false, false});
}

// Compiles again, and what is compiled replaces the entry.
TEST_F(SettingEffect, RECOMPILE) {
  use_compiler();
  const std::string model = relu();
  succeed({"run", model});
  const auto starts = [&] {
    fs::remove(path("commands"));
    succeed({"run", model});
    const size_t compiled = commands().size();
    environment["CPPGEN_RECOMPILE"] = "0";
    EXPECT_TRUE(from_cache(succeed({"run", model, "--json"})));
    environment.erase("CPPGEN_RECOMPILE");
    return compiled;
  };
  expect_effect<size_t>("1", starts, 0, 1);
}

TEST_F(SettingEffect, CACHE_SIZE_LIMIT) {
  const std::string first = relu(), second = gather_model();
  const auto kernels = [&] {
    succeed_anew({"run", first});
    succeed({"run", second});
    return KernelCache(path("cache/cppgen")).stats().entries;
  };
  expect_effect<int64_t>("1kB", kernels, 2, 1);  // the latest is in use when the limit is applied
}

TEST_F(SettingEffect, WEIGHTS_CACHE_LIMIT) {
  const std::string first = relu(), second = gather_model();
  const auto models = [&] {
    succeed_anew({"run", first});
    succeed({"run", second});
    return package::ModelCache::list(path("cache/cppgen")).size();
  };
  expect_effect<size_t>("1kB", models, 2, 1);  // the latest is in use when the limit is applied
}

// Somebody else holds the lock of the kernel: by default the program waits until it is free.
TEST_F(SettingEffect, FILE_LOCK_TIMEOUT) {
  const std::string model = relu();
  environment["CPPGEN_COMPILE_THREADS"] = "1";
  const auto gave_up = [&] {
    succeed_anew({"run", model});
    KernelCache cache(path("cache/cppgen"));
    const KernelKey key{cache.list().at(0).key, ""};
    cache.clear();
    fs::remove_all(path("cache/cppgen/models"));
    LockFile::Attempt held = cache.try_build_lock(key);
    EXPECT_EQ(held.outcome, LockOutcome::locked);
    std::thread release([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      if (settings().file_lock_timeout > 0) held.lock.reset();
    });
    const Ended ended = succeed({"run", model});
    release.join();
    return ended.err.find("another process has been building kernel unit") != std::string::npos;
  };
  expect_effect<bool>("0", gave_up, false, true);
}

}  // namespace
}  // namespace cppgen
