// Files that change while they are compiled: what the cache has afterwards is of the bytes that it says.
#include <atomic>
#include <thread>

#include "tests/resilience/fixture.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

class ChangedFiles : public Resilience {
 protected:
  void prepare_weights() {
    folder.write("w.bin", floats(1));
    folder.write("new.bin", floats(2));
  }
};

TEST_F(ChangedFiles, WeightsReplacedWhileTheCompilerRuns) {
  prepare_weights();
  use_compiler("mv " + path("new.bin") + " " + path("w.bin"));
  const std::string model = external_model();
  EXPECT_EQ(first_output(model), 1) << "the file that was opened";
  EXPECT_FALSE(fs::exists(path("new.bin")));
  EXPECT_EQ(first_output(model), 2);
  EXPECT_EQ(first_output(model), 2);
}

TEST_F(ChangedFiles, WeightsOverwrittenWhileTheCompilerRuns) {
  prepare_weights();
  use_compiler("cat " + path("new.bin") + " > " + path("w.bin"));
  const std::string model = external_model();
  const Ended ended = run({"run", model});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("its external data changed while it was compiled"), std::string::npos) << ended.err;
  EXPECT_EQ(first_output(model), 2);
  folder.write("w.bin", floats(1));
  EXPECT_EQ(first_output(model), 1);
}

TEST_F(ChangedFiles, APackageIsNotMadeOfChangedWeights) {
  prepare_weights();
  use_compiler("cat " + path("new.bin") + " > " + path("w.bin"));
  EXPECT_EQ(run({"compile", external_model(), "-o", path("package")}).status, 2);
  EXPECT_FALSE(fs::exists(path("package")));
}

// Sizes and times that are set back do not hide another content.
TEST_F(ChangedFiles, TimesSetBackHideNothing) {
  prepare_weights();
  use_compiler("touch -r " + path("w.bin") + " " + path("stamp") + "; cat " + path("new.bin") + " > " + path("w.bin") +
               "; touch -r " + path("stamp") + " " + path("w.bin"));
  EXPECT_EQ(run({"run", external_model()}).status, 2);
}

// Mapped weights that become shorter cannot be read on.
TEST_F(ChangedFiles, WeightsTruncatedWhileTheCompilerRuns) {
  prepare_weights();
  use_compiler(": > " + path("w.bin"));
  const Ended ended = run({"run", external_model()});
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_EQ(ended.err, "cppgen: '" + path("w.bin") + "' became shorter while it was read, or its disk failed\n");
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
  EXPECT_EQ(names_in(cache() + "/tmp"), std::vector<std::string>());
}

TEST_F(ChangedFiles, TheModelReplacedWhileTheCompilerRuns) {
  const std::string model = inline_model("m.onnx", 1);
  inline_model("b.onnx", 2);
  use_compiler("mv " + path("b.onnx") + " " + model);
  EXPECT_EQ(first_output(model), 1);
  EXPECT_EQ(first_output(model), 2);
  inline_model("m.onnx", 1);
  EXPECT_EQ(first_output(model), 1);
}

// Somebody replaces the file again and again while it is hashed, parsed and compiled.
TEST_F(ChangedFiles, TheModelReplacedAtAnyTime) {
  const std::string model = inline_model("m.onnx", 1);
  std::atomic<bool> done{false};
  std::thread replacer([&] {
    for (int i = 0; !done; i++) {
      inline_model("next.onnx", float(i % 2 + 1));
      fs::rename(path("next.onnx"), model);
    }
  });
  for (int i = 0; i < 10; i++) {
    fs::remove_all(cache() + "/models");
    const float result = first_output(model);
    EXPECT_TRUE(result == 1 || result == 2) << result;
    // One entry may serve several runs, so what was published is looked at below while nobody replaces anything.
  }
  done = true;
  replacer.join();
  for (const float w : {1.f, 2.f}) {
    inline_model("m.onnx", w);
    EXPECT_EQ(first_output(model), w);
  }
}

TEST_F(ChangedFiles, OnlyThePartsThatAreReadCount) {
  folder.write("w.bin", floats(7) + floats(1) + floats(8));
  const std::string model = external_model(kElements * 4);
  EXPECT_EQ(first_output(model), 1);
  folder.write("w.bin", floats(5) + floats(1) + floats(6) + "more");
  EXPECT_TRUE(from_cache(model));
  folder.write("w.bin", floats(5) + floats(2) + floats(6));
  EXPECT_FALSE(from_cache(model));
  EXPECT_EQ(first_output(model), 2);
}

}  // namespace
}  // namespace cppgen
