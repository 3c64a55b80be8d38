// The cache of models never costs a run.
#include "cppgen/package/model_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cppgen/support/file_io.h"
#include "cppgen/support/file_lock.h"
#include "runtime/package/package.h"
#include "tests/resilience/fixture.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using package::ModelCache;

class ModelCacheFaults : public Resilience {};

mode_t mode_of(const fs::path& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 ? st.st_mode & 0777 : 0;
}

ino_t inode_of(const fs::path& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 ? st.st_ino : 0;
}

TEST_F(ModelCacheFaults, OtherUsersMayReadAPackage) {
  const mode_t mask = ::umask(022);
  const Ended ended = run({"compile", inline_model("m.onnx", 1), "-o", path("package")});
  ::umask(mask);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(mode_of(path("package")), 0755u);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(path("package"))) {
    EXPECT_EQ(mode_of(entry.path()) & 0444, 0444u) << entry.path();
    files++;
  }
  EXPECT_GE(files, 4) << "manifest, plan, kernels, weights";
}

// A model is run, one file of its package damaged, and run again: the damaged package must not serve, and the next one
// must.
TEST_F(ModelCacheFaults, DamagedPackagesAreMadeAnew) {
  const std::string model = inline_model("m.onnx", 3);
  ASSERT_EQ(first_output(model), 3);
  ASSERT_EQ(packages().size(), 1u);
  const std::string package = packages()[0];
  const std::map<std::string, std::function<void(const std::string&)>> damages{
      {"empty", [](const std::string& file) { fs::resize_file(file, 0); }},
      {"truncated", [](const std::string& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
      {"zeroed",
       [](const std::string& file) {
         const auto size = fs::file_size(file);
         fs::resize_file(file, 0), fs::resize_file(file, size);
       }},
      {"removed", [](const std::string& file) { fs::remove(file); }},
      {"longer", [](const std::string& file) { fs::resize_file(file, fs::file_size(file) + 1); }}};
  for (const std::string& name : names_in(package)) {
    if (name == rt::kCostsFile) continue;  // only reports read it, and do without it
    for (const auto& [what, damage] : damages) {
      damage(package + "/" + name);
      EXPECT_EQ(first_output(model), 3) << name << " " << what;
      EXPECT_TRUE(from_cache(model)) << name << " " << what << ": not replaced";
    }
  }
}

// After a loss of power, nothing that was not synced need be there, and the marker is of an earlier boot.
TEST_F(ModelCacheFaults, NothingIsTrustedOfAnEarlierBoot) {
  const std::string model = inline_model("m.onnx", 3);
  ASSERT_EQ(first_output(model), 3);
  const std::string package = packages()[0], weights = package + "/weights.bin";
  const auto time = fs::last_write_time(weights);
  std::string mark = read_file(package + ".written");
  mark[0] = mark[0] == 'f' ? '0' : 'f';
  ASSERT_EQ(write_file(package + ".written", mark), 0);
  std::string bytes = read_file(weights);
  bytes.replace(0, 4, floats(9, 1));
  ASSERT_EQ(write_file(weights, bytes), 0);
  fs::last_write_time(weights, time);
  EXPECT_EQ(first_output(model), 3);
  EXPECT_TRUE(from_cache(model));
}

// Weights of an entry that were written to since, however carefully, are hashed again.
TEST_F(ModelCacheFaults, AlteredWeightsAreFound) {
  const std::string model = inline_model("m.onnx", 3);
  ASSERT_EQ(first_output(model), 3);
  const std::string weights = packages()[0] + "/weights.bin";
  std::string bytes = read_file(weights);
  bytes.replace(0, 4, floats(9, 1));
  ASSERT_EQ(write_file(weights, bytes), 0);
  EXPECT_EQ(first_output(model), 3);
}

TEST_F(ModelCacheFaults, ACacheThatCannotBeWrittenIsAWarning) {
  const std::string model = inline_model("m.onnx", 3);
  fs::create_directories(cache());
  fs::permissions(cache(), fs::perms::owner_all);
  for (const char* place : {"models", "tmp"}) {
    fs::remove_all(cache() + "/" + place);
    ASSERT_EQ(write_file(cache() + "/" + place, "in the way"), 0);
    const Ended ended = run({"run", model});
    EXPECT_EQ(ended.status, 0) << place << ": " << ended.err;
    EXPECT_NE(ended.err.find("cannot be written"), std::string::npos) << ended.err;
    fs::remove(cache() + "/" + place);
  }
  EXPECT_FALSE(from_cache(model));
  EXPECT_TRUE(from_cache(model));
}

// A file may not become larger than some bytes: writing fails as on a full disk, in the middle of a file.
TEST_F(ModelCacheFaults, WritingThatFailsHalfwayIsAWarning) {
  const std::string model = inline_model("m.onnx", 3);
  environment["CPPGEN_VEC_ISA_OK"] = "1";
  ASSERT_EQ(first_output(model), 3);
  ModelCache::clear(cache());
  const std::string full = path("full");
  fs::create_directories(full);
  ModelCache cache(full, "key", path(""));
  const ExternalFiles none("");
  const auto published = cache.publish(
      none, none.content_key(1), {"m.onnx", {}}, [](const std::string&) { user_error("No space left on device"); },
      false);
  EXPECT_FALSE(published.entry);
  EXPECT_EQ(published.reason, "No space left on device");
  EXPECT_EQ(names_in(full + "/tmp"), std::vector<std::string>());
}

TEST_F(ModelCacheFaults, EqualWeightsAreOneFile) {
  const std::string model = inline_model("m.onnx", 3);
  ASSERT_EQ(run({"run", model}).status, 0);
  ASSERT_EQ(run({"run", model, "--set", "COMMENT_ORIGIN=0"}).status, 0);
  ASSERT_EQ(packages().size(), 2u);
  EXPECT_EQ(inode_of(packages()[0] + "/weights.bin"), inode_of(packages()[1] + "/weights.bin"));
  const int64_t both = ModelCache::stored_bytes(cache());
  EXPECT_LT(both, ModelCache::list(cache())[0].bytes + ModelCache::list(cache())[1].bytes - kElements * 4 + 1);
  EXPECT_EQ(ModelCache::trim(cache(), both - 1), 1);
  EXPECT_EQ(names_in(cache() + "/weights").size(), 1u) << "the other package still has it";
  EXPECT_EQ(ModelCache::clear(cache()), 1);
  EXPECT_EQ(names_in(cache() + "/weights").size(), 0u);
  EXPECT_EQ(names_in(cache() + "/models").size(), 0u);
}

// What lies there for others to link to may be damaged, too.
TEST_F(ModelCacheFaults, DamagedSharedWeightsAreReplaced) {
  const std::string model = inline_model("m.onnx", 3);
  ASSERT_EQ(run({"run", model}).status, 0);
  const std::string shared = cache() + "/weights/" + names_in(cache() + "/weights").at(0);
  fs::resize_file(shared, 4);
  ASSERT_EQ(run({"run", model, "--set", "COMMENT_ORIGIN=0"}).status, 0);
  EXPECT_EQ(fs::file_size(shared), uint64_t(kElements * 4));
  EXPECT_EQ(first_output(model), 3);
}

TEST_F(ModelCacheFaults, TheLeastRecentlyUsedModelGoes) {
  const std::string a = inline_model("a.onnx", 1), b = inline_model("b.onnx", 2), c = inline_model("c.onnx", 3);
  for (const std::string& model : {a, b, a}) ASSERT_EQ(run({"run", model}).status, 0);
  // Times of use may be equal on a coarse clock.
  for (const auto& model : ModelCache::list(cache()))
    fs::last_write_time(model.package + "/manifest.json",
                        fs::file_time_type::clock::now() - std::chrono::hours(model.about.model == a ? 1 : 2));
  const int64_t two = ModelCache::stored_bytes(cache());
  environment["CPPGEN_WEIGHTS_CACHE_LIMIT"] = std::to_string(two + 1000);
  ASSERT_EQ(run({"run", c}).status, 0);
  std::set<std::string> left;
  for (const auto& model : ModelCache::list(cache())) left.insert(model.about.model);
  EXPECT_EQ(left, (std::set<std::string>{a, c}));
}

TEST_F(ModelCacheFaults, TheListNamesModels) {
  const std::string model = inline_model("a model.onnx", 3);
  ASSERT_EQ(run({"run", model, "--set", "COMMENT_ORIGIN=0"}).status, 0);
  const std::string text = run({"cache", "list"}).out;
  EXPECT_NE(text.find(model + "  COMMENT_ORIGIN=0\n"), std::string::npos) << text;
  const json list = json::parse(run({"cache", "list", "--json"}).out);
  ASSERT_EQ(list["models"].size(), 1u);
  EXPECT_EQ(list["models"][0]["model"], model);
  EXPECT_EQ(list["models"][0]["settings"], json({"COMMENT_ORIGIN=0"}));
  EXPECT_GT(list["models"][0]["bytes"].get<int64_t>(), kElements * 4);
  EXPECT_GT(list["models"][0]["last_used"].get<int64_t>(), 1'000'000'000);
}

TEST_F(ModelCacheFaults, APinnedPackageStays) {
  const std::string model = inline_model("m.onnx", 3);
  ASSERT_EQ(run({"run", model}).status, 0);
  const std::string package = packages()[0];
  {
    const FileDescriptor pin(::open((package + "/manifest.json").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(try_lock(pin, LockKind::shared), LockOutcome::locked);
    EXPECT_EQ(ModelCache::clear(cache()), 0);
    EXPECT_TRUE(from_cache(model));
  }
  EXPECT_EQ(ModelCache::clear(cache()), 1);
}

TEST_F(ModelCacheFaults, ClearingBesideRunsFailsNone) {
  const std::string model = inline_model("m.onnx", 3);
  std::atomic<bool> done{false};
  const std::string directory = cache();
  std::thread cleaner([&] {
    while (!done) ModelCache::clear(directory);
  });
  for (int i = 0; i < 12; i++) {
    const Ended ended = run({"run", model});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
  }
  done = true;
  cleaner.join();
}

}  // namespace
}  // namespace cppgen
