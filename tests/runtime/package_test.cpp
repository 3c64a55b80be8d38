#include "runtime/package/package.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>

#include "isa/vec_isa.h"
#include "runtime/base/content_hash.h"
#include "runtime/base/errors.h"
#include "runtime/base/version.h"
#include "runtime/package/executable.h"
#include "runtime/package/object_file.h"
#include "runtime/plan/costs_json.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

namespace fs = std::filesystem;

class Package : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    original_ = new TempDirectory;
    write_package(original_->file("p"), two_step_plan(), kTwoStepSource, kTwoStepWeights);
  }
  static void TearDownTestSuite() { delete original_; }

  Package() { fs::copy(original_->file("p"), directory()); }

  std::string directory() const { return scratch_.file("package"); }
  std::string file(const std::string& name) const { return directory() + "/" + name; }

  // Replaces the first occurrence of `from` in a file.
  void edit(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = read_text(file(name));
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    write_text(file(name), text.replace(at, from.size(), to));
  }

  // Replaces a file as somebody would who knows how manifests are made, but leaves the objects as they are.
  void forge(const std::string& name, const std::string& content) {
    const std::string before = read_text(file(name));
    write_text(file(name), content);
    const auto replace = [&](const std::string& from, const std::string& to) { edit("manifest.json", from, to); };
    replace(content_hash(before), content_hash(content));
    replace(fmt::format("\"bytes\": {},\n   \"name\": \"{}\"", before.size(), name),
            fmt::format("\"bytes\": {},\n   \"name\": \"{}\"", content.size(), name));
  }

  std::string load_error(const LoadOptions& options = {}) const {
    try {
      Executable::load(directory(), options);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  void expect_error(const std::string& part) const {
    const std::string error = load_error();
    EXPECT_NE(error.find(part), error.npos) << "expected: " << part << "\nfound: " << error;
  }

  static TempDirectory* original_;
  TempDirectory scratch_;
};
TempDirectory* Package::original_ = nullptr;

TEST_F(Package, LoadsWhereverItIs) {
  EXPECT_EQ(load_error(), "");
  fs::rename(directory(), scratch_.file("elsewhere"));
  const auto executable = Executable::load(scratch_.file("elsewhere"));
  EXPECT_EQ(executable->plan().model, "two_step");
  EXPECT_EQ(executable->weights_bytes(), 16);
  EXPECT_NE(executable->kernel(1), nullptr);
}

TEST_F(Package, WhatIsNoPackage) {
  fs::remove(file("manifest.json"));
  expect_error("is not a package: it has no manifest.json");
  fs::remove_all(directory());
  expect_error("is not a package: no such directory");
  write_text(directory(), "x");
  expect_error("is a file, and a package is a directory, which `cppgen compile MODEL.onnx -o ");
}

TEST_F(Package, ManifestOfAnotherKind) {
  edit("manifest.json", "cppgen-package", "other-package");
  expect_error("its format is 'other-package', expected 'cppgen-package'");
  write_text(file("manifest.json"), "{\"format\": ");
  expect_error("is not well-formed JSON");
  write_text(file("manifest.json"), "[1]");
  expect_error("the field 'format' is missing");
}

TEST_F(Package, OtherVersions) {
  const std::string current = std::to_string(kPackageFormatVersion);
  edit("manifest.json", "\"format_version\": " + current, "\"format_version\": 3");
  expect_error("package format version 3 is not supported; this runtime (" + std::string(kVersion) +
               ") reads package format version " + current);
  edit("manifest.json", "\"format_version\": 3", "\"format_version\": " + current);
  edit("manifest.json", fmt::format("\"abi_version\": {}", CPPGEN_ABI_VERSION), "\"abi_version\": 999");
  expect_error("kernel ABI version 999 is not supported");
}

TEST_F(Package, OtherInstructionSets) {
  edit("manifest.json", "\"isa\": \"scalar\"", "\"isa\": \"sparc\"");
  expect_error("was compiled for the ISA 'sparc', which this runtime does not know");
  if (!find_isa("avx2")) GTEST_SKIP() << "the only instruction set is that of the package";
  edit("manifest.json", "\"isa\": \"sparc\"", "\"isa\": \"avx2\"");
  const std::string error = load_error();  // refused by the CPU, or because the plan says otherwise
  EXPECT_TRUE(error.find("this CPU lacks") != error.npos || error.find("the plan is for ISA 'scalar'") != error.npos);
}

TEST_F(Package, MissingFiles) {
  for (const char* name : {"plan.json", "weights.bin", "kernels_0.so"}) {
    const std::string content = read_text(file(name));
    fs::remove(file(name));
    expect_error(std::string("the file '") + name + "' is missing");
    write_text(file(name), content);
  }
  EXPECT_EQ(load_error(), "");
}

TEST_F(Package, TruncatedFiles) {
  for (const char* name : {"plan.json", "weights.bin", "kernels_0.so"}) {
    const std::string content = read_text(file(name));
    write_text(file(name), content.substr(0, content.size() - 1));
    expect_error(std::string("'") + name + "' has " + std::to_string(content.size() - 1) + " bytes, expected " +
                 std::to_string(content.size()));
    write_text(file(name), content + "x");
    expect_error(std::string("'") + name + "' has ");
    write_text(file(name), content);
  }
}

// Files of any length without content on the disk are refused before they are read.
TEST_F(Package, FilesThatAreTooLong) {
  constexpr uintmax_t kTerabyte = uintmax_t{1} << 40;
  for (const char* name : {"plan.json", "weights.bin", "kernels_0.so", "manifest.json"}) {
    const std::string content = read_text(file(name));
    fs::resize_file(file(name), kTerabyte);
    expect_error(std::string(name) + "' has 1099511627776 bytes");
    write_text(file(name), content);
  }
  // The manifest may list such a length.
  fs::resize_file(file("plan.json"), kTerabyte);
  const std::string listed = ",\n   \"name\": \"plan.json\"";
  edit("manifest.json", fmt::format("\"bytes\": {}{}", to_json(two_step_plan()).size(), listed),
       fmt::format("\"bytes\": {}{}", kTerabyte, listed));
  expect_error("plan.json' has 1099511627776 bytes; at most 268435456 are read");
}

TEST_F(Package, AlteredFiles) {
  for (const char* name : {"plan.json", "weights.bin", "kernels_0.so"}) {
    const std::string content = read_text(file(name));
    std::string altered = content;
    altered[altered.size() / 2] ^= 1;
    write_text(file(name), altered);
    expect_error(std::string("'") + name + "' was altered: its hash is ");
    write_text(file(name), content);
  }
  std::string weights = read_text(file("weights.bin"));
  weights[0] ^= 1;
  write_text(file("weights.bin"), weights);
  EXPECT_EQ(load_error({.trust_weights = true}), "");
}

// Hashes are right, but kernels would read and write elsewhere.
TEST_F(Package, ForgedPlansAndWeights) {
  const std::string plan = read_text(file("plan.json")), weights = read_text(file("weights.bin"));
  Plan forged = two_step_plan();
  forged.buffers[2].bytes = num(0);
  forge("plan.json", to_json(forged));
  expect_error("'kernels_0.so' was not written together with the other files");
  forged = two_step_plan();
  forged.steps[0].range = num(int64_t{1} << 40);
  forge("plan.json", to_json(forged));
  expect_error("'kernels_0.so' was not written together with the other files");
  forge("plan.json", plan);
  EXPECT_EQ(load_error(), "");
  forge("weights.bin", std::string(16, 'w'));
  expect_error("'kernels_0.so' was not written together with the other files");
  EXPECT_NE(load_error({.trust_weights = true}), "");
  forge("weights.bin", weights);
  EXPECT_EQ(load_error(), "");
}

// Whoever truncates or replaces files of a package that is loaded does not affect those who loaded it.
TEST_F(Package, WhatIsLoadedNoLongerDependsOnFiles) {
  const auto executable = Executable::load(directory());
  Session session(executable, {.threads = 1});
  const auto result = [&] {
    const std::vector<Tensor> inputs = random_inputs(session.plan(), {{"N", 3}}, 1);
    std::vector<TensorView> views;
    for (const Tensor& input : inputs) views.push_back(input.view());
    const std::vector<Tensor> outputs = session.run(views);
    const char* bytes = static_cast<const char*>(outputs[0].data());
    return std::string(bytes, size_t(outputs[0].bytes()));
  };
  const std::string before = result();
  for (const auto& entry : fs::directory_iterator(directory())) fs::resize_file(entry.path(), 0);
  EXPECT_EQ(result(), before);
}

TEST_F(Package, SessionsOfOneProcessShareTheWeightsOfAFile) {
  const auto load = [&](bool trust) {
    LoadOptions options;
    options.trust_weights = trust;
    return Executable::load(directory(), options);
  };
  const auto trusting = load(true);
  const auto first = load(false);  // must compare the hash
  EXPECT_NE(first->weights(), trusting->weights());
  EXPECT_EQ(load(false)->weights(), first->weights());
  EXPECT_EQ(load(true)->weights(), first->weights());

  // Another file is read again, even while a session holds what the manifest states.
  const std::string content = read_text(file("weights.bin"));
  std::string altered = content;
  altered[0] ^= 1;
  write_text(file("weights.bin"), altered);
  EXPECT_NE(load_error().find("weights.bin"), std::string::npos) << load_error();
  write_text(file("weights.bin"), content);
  const auto again = load(false);
  EXPECT_NE(again->weights(), first->weights());
  EXPECT_EQ(again->weights()[0], first->weights()[0]);
}

TEST_F(Package, WeightsOfTheOwnCacheAreMapped) {
  const auto is_mapped = [&](const LoadOptions& options) {
    const auto executable = Executable::load(directory(), options);
    return read_text("/proc/self/maps").find(directory() + "/weights.bin") != std::string::npos;
  };
  EXPECT_FALSE(is_mapped({}));
  EXPECT_FALSE(is_mapped({.trust_weights = true}));
  EXPECT_TRUE(is_mapped({.in_own_cache = true}));
  EXPECT_TRUE(is_mapped({.force_mmap_weights = true}));
  EXPECT_FALSE(is_mapped({.in_own_cache = true, .force_mmap_weights = false}));
}

// A process that waits for the moment between the check and the use has none.
TEST_F(Package, ObjectsAreTheOnesThatWereHashed) {
  const std::string good = read_text(file("kernels_0.so"));
  const TempDirectory other;
  write_package(other.file("p"), two_step_plan(),
                "extern \"C\" int evil() { return 1; }\n" + std::string(kTwoStepSource), kTwoStepWeights);
  const std::string evil = read_text(other.file("p") + "/kernels_0.so");
  const auto has_evil = [&](bool in_place, bool by_rename) {
    write_text(file("kernels_0.so"), good);
    const ObjectFile object(file("kernels_0.so"), in_place);
    EXPECT_EQ(std::string(object.content().begin(), object.content().end()), good);
    if (by_rename) {
      write_text(file("new"), evil);
      fs::rename(file("new"), file("kernels_0.so"));
    } else {
      write_text(file("kernels_0.so"), evil);
    }
    return dlsym(object.load().get(), "evil") != nullptr;
  };
  EXPECT_FALSE(has_evil(false, true));
  EXPECT_FALSE(has_evil(false, false));
  EXPECT_FALSE(has_evil(true, true));
  fs::permissions(file("kernels_0.so"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(has_evil(true, false)) << "a file that others can write is copied, too";
  // Numbers of descriptors are used again; objects are not mixed up.
  const ObjectFile second(other.file("p") + "/kernels_0.so", true);
  EXPECT_NE(dlsym(second.load().get(), "evil"), nullptr);
}

TEST_F(Package, ObjectsAreRegularFiles) {
  fs::remove(file("kernels_0.so"));
  ASSERT_EQ(::mkfifo(file("kernels_0.so").c_str(), 0600), 0);
  expect_error("is not a regular file");
}

TEST_F(Package, ObjectsOfAnotherPackage) {
  const std::string object = read_text(file("kernels_0.so"));
  Plan plan = two_step_plan();
  plan.model = "other";
  write_text(file("plan.json"), to_json(plan));
  write_manifest(directory(), "scalar");
  EXPECT_EQ(load_error(), "");
  EXPECT_EQ(read_text(file("kernels_0.so")).size(), object.size());  // a new seal takes the place of the old one
  forge("kernels_0.so", object);
  expect_error("'kernels_0.so' was not written together with the other files");
}

TEST_F(Package, FilesThatAreNotListed) {
  edit("manifest.json", "\"weights.bin\"", "\"other.bin\"");
  expect_error("its manifest does not list 'weights.bin'");
}

TEST_F(Package, NamesThatLeaveThePackage) {
  for (const char* name : {"../weights.bin", "/etc/passwd", "..", ".", "", "a/b"}) {
    const std::string manifest = read_text(file("manifest.json"));
    edit("manifest.json", "\"weights.bin\"", "\"" + std::string(name) + "\"");
    expect_error("is not the name of a file in the package");
    write_text(file("manifest.json"), manifest);
  }
}

TEST_F(Package, KernelsThatAreNotThere) {
  Plan plan = two_step_plan();
  plan.steps[1].name = "k_thrice";
  write_text(file("plan.json"), to_json(plan));
  write_manifest(directory(), "scalar");
  expect_error("'kernels_0.so' has no kernel 'k_thrice'");
  write_text(file("kernels_0.so"), "no library");
  write_manifest(directory(), "scalar");
  expect_error("cannot load '" + file("kernels_0.so") + "'");
}

TEST_F(Package, WeightsOfAnotherSize) {
  write_text(file("weights.bin"), std::string(32, '\0'));
  write_manifest(directory(), "scalar");
  expect_error("'weights.bin' has 32 bytes, but the plan expects 16");
}

TEST_F(Package, LibraryFunctionsThatAreNotThere) {
  Plan plan = two_step_plan();
  plan.steps[1].kind = StepKind::library;
  plan.steps[1].name = "levitate";
  write_text(file("plan.json"), to_json(plan));
  write_manifest(directory(), "scalar");
  const auto executable = Executable::load(directory());
  EXPECT_THROW(Session(executable, {.threads = 1}), UserError);
}

// They are read for profiles alone, and the seal of the objects does not depend on them.
TEST_F(Package, CostsMayBeMissingOrNewer) {
  const std::string object = read_text(file("kernels_0.so"));
  EXPECT_FALSE(Executable::load(directory())->plan().has_costs);
  Plan plan = two_step_plan();
  plan.has_costs = true;
  plan.steps[0].costs.products = sym(0);
  write_text(file("costs.json"), costs_to_json({&plan, 1}));
  write_manifest(directory(), "scalar");
  EXPECT_EQ(read_text(file("kernels_0.so")), object) << "sealed as without them";
  const auto executable = Executable::load(directory());
  EXPECT_TRUE(executable->plan().has_costs);
  EXPECT_EQ(executable->plan().steps[0].costs.products, sym(0));
  LoadOptions without;
  without.costs = false;
  EXPECT_FALSE(Executable::load(directory(), without)->plan().has_costs);
  write_text(file("costs.json"), R"({"version": 1000})");
  EXPECT_EQ(load_error(without), "") << "not read at all";
  expect_error("'costs.json' has ");
  write_manifest(directory(), "scalar");
  EXPECT_FALSE(Executable::load(directory())->plan().has_costs);
}

TEST_F(Package, ManifestIsTheSameForTheSameFiles) {
  const std::string before = read_text(file("manifest.json"));
  write_manifest(directory(), "scalar");
  EXPECT_EQ(read_text(file("manifest.json")), before);
}

// A file of several blocks, which several threads read and hash, wherever the damage is; in memory and mapped.
TEST(PackageFile, DamageOfALargeFileIsFound) {
  TempDirectory directory;
  std::string content((5 << 20) + 17, 'x');
  const ManifestFile listed{"weights.bin", int64_t(content.size()), content_hash(content)};
  for (const MapOptions& options : {MapOptions{.copy = true}, MapOptions{}}) {
    write_text(directory.file("weights.bin"), content);
    EXPECT_EQ(open_package_file(directory.path(), listed, true, options).bytes(), listed.bytes);
    for (const size_t at : {size_t{0}, content.size() / 2, content.size() - 1}) {
      std::string damaged = content;
      damaged[at] = 'y';
      write_text(directory.file("weights.bin"), damaged);
      EXPECT_THROW(open_package_file(directory.path(), listed, true, options), UserError) << at;
      EXPECT_EQ(open_package_file(directory.path(), listed, false, options).data()[at], 'y');
    }
  }
}

// They are compared before memory is taken for what the manifest announces.
TEST(PackageFile, SizesAreComparedFirst) {
  TempDirectory directory;
  write_text(directory.file("weights.bin"), "x");
  EXPECT_THROW(
      open_package_file(directory.path(), {"weights.bin", int64_t{1} << 60, content_hash(std::string("x"))}, true),
      UserError);
  EXPECT_THROW(open_package_file("/dev", {"zero", 1, content_hash(std::string("x"))}, true), UserError);
}

TEST(Version, IsTheProjects) { EXPECT_EQ(kVersion, CPPGEN_PROJECT_VERSION); }

}  // namespace
}  // namespace cppgen::rt::test
