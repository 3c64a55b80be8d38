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

// A compiler that takes three seconds comes to its end, unless the limit is lower. It never ends then, so that the test
// does not depend on which of the two times a slow machine notices first.
TEST_F(SettingEffect, COMPILE_TIMEOUT_SECONDS) {
  use_compiler("sleep $TAKES");
  const std::string model = relu();
  const auto is_stopped = [&] {
    fs::remove_all(path("cache"));
    const int64_t limit = settings().compile_timeout_seconds;
    environment["TAKES"] = limit < 3 ? "600" : "3";
    const Ended ended = run({"run", model});
    const bool stopped = ended.err.find("(the limit is " + std::to_string(limit) +
                                        " s: CPPGEN_COMPILE_TIMEOUT_SECONDS)") != ended.err.npos;
    EXPECT_EQ(ended.status == 0, !stopped) << ended.err;
    return stopped;
  };
  expect_effect<bool>("2", is_stopped, false, true);
  environment["CPPGEN_COMPILE_TIMEOUT_SECONDS"] = "60";
  EXPECT_FALSE(is_stopped());
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

using Names = std::set<std::string>;

// Three models are run, the first one again before the last, so the second is the one that was used least recently.
// There is room for two entries and a half. The model that ran last is in use when the limit is applied.
TEST_F(SettingEffect, CACHE_SIZE_LIMIT) {
  const std::string first = relu(), second = gather_model(), third = model_of("Exp", 1000);
  const auto kernels = [&] {
    succeed_anew({"run", first});
    succeed({"run", second});
    fs::remove_all(path("cache/cppgen/models"));  // a compiled model does not look for its kernels
    succeed({"run", first});
    succeed({"run", third});
    return KernelCache(path("cache/cppgen")).list();
  };
  const auto all = kernels();
  ASSERT_EQ(all.size(), 3u);
  const auto keys = [&] {
    Names names;
    for (const auto& entry : kernels()) names.insert(entry.key);
    return names;
  };
  const Names every{all[0].key, all[1].key, all[2].key};
  const int64_t room = all[0].bytes + all[1].bytes + all[2].bytes / 2;
  expect_effect<Names>(std::to_string(room), keys, every, {all[0].key, all[1].key});
  expect_effect<Names>("1kB", keys, every, {all[0].key});
}

TEST_F(SettingEffect, WEIGHTS_CACHE_LIMIT) {
  const std::string first = relu(), second = gather_model(), third = products(1);
  const auto models = [&] {
    succeed_anew({"run", first});
    succeed({"run", second});
    succeed({"run", first});
    succeed({"run", third});
    return package::ModelCache::list(path("cache/cppgen"));
  };
  const auto all = models();
  ASSERT_EQ(all.size(), 3u);
  const auto names = [&] {
    Names found;
    for (const auto& entry : models()) found.insert(entry.about.model);
    return found;
  };
  const int64_t room = all[0].bytes + all[1].bytes + all[2].bytes / 2;
  expect_effect<Names>(std::to_string(room), names, {first, second, third}, {first, third});
  expect_effect<Names>("1kB", names, {first, second, third}, {third});
}

// Somebody else holds the lock of the kernel, for half a second or, if the program waits for two at most, to its end.
// What is seen is the time after which the program gives up.
TEST_F(SettingEffect, FILE_LOCK_TIMEOUT) {
  using Clock = std::chrono::steady_clock;
  const std::string model = relu();
  environment["CPPGEN_COMPILE_THREADS"] = "1";
  const auto gave_up_after = [&] {
    succeed_anew({"run", model});
    KernelCache cache(path("cache/cppgen"));
    const KernelKey key{cache.list().at(0).key, ""};
    cache.clear();
    fs::remove_all(path("cache/cppgen/models"));
    LockFile::Attempt held = cache.try_build_lock(key);
    EXPECT_EQ(held.outcome, LockOutcome::locked);
    std::thread release([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      if (settings().file_lock_timeout > 2) held.lock.reset();
    });
    const Clock::time_point begin = Clock::now();
    const std::string log = succeed({"run", model}).err;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    release.join();
    const std::string beginning = "another process has been building kernel unit 'kernels_0' for ";
    const size_t at = log.find(beginning);
    if (at == log.npos) return -1.0;
    const double limit = std::stod(log.substr(at + beginning.size()));
    EXPECT_GE(seconds, limit);
    return limit;
  };
  expect_effect<double>("0", gave_up_after, -1, 0);
  expect_effect<double>("2", gave_up_after, -1, 2);
  expect_effect<double>("60", gave_up_after, -1, -1);
}

}  // namespace
}  // namespace cppgen
