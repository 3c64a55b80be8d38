#include <signal.h>

#include "tests/cli/program.h"

namespace cppgen {
namespace {

class Interrupt : public CliTest {};

TEST_F(Interrupt, CleansUpAndExitsAsShellsReportIt) {
  // A compiler that says who it is, and then hangs on the first source.
  const std::string compiler =
      folder.write("slow-g++", "#!/bin/sh\nfor a in \"$@\"; do case $a in *.cpp) touch " + path("started") +
                                   "; sleep 600;; esac; done\nexec g++ \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  environment["CPPGEN_CXX"] = compiler;
  environment["CPPGEN_VEC_ISA_OK"] = "1";
  const Ended ended = run_and_signal({"bench", symbolic_model(), "--dim", "N=2"}, SIGINT, path("started"));
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("cppgen: interrupted\n"), std::string::npos) << ended.err;
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(Interrupt, EndsClients) {
  const Ended ended = run_and_signal_after(
      {"bench", symbolic_model(), "--dim", "N=2", "--clients", "2", "--seconds", "600", "--cold"}, SIGINT, 1.5);
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

// A loop without a trip count, whose condition stays true.
ModelMaker endless_loop() {
  ModelMaker m;
  m.input("x", {"3"}).output("y");
  auto& attribute = *m.node("Loop", {"", "", "x"}, {"y"}, "endless").add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  ModelMaker::add_node(body, "Neg", {"in"}, {"out"});
  for (const char* name : {"go", "out"}) body.add_output()->set_name(name);
  return m;
}

TEST_F(Interrupt, EndsALoopWithoutAnEnd) {
  const std::string model = write("endless.onnx", endless_loop()), package = path("package");
  ASSERT_EQ(run({"compile", model, "--output", package}).status, 0);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run", package}, {"run", model, "--reference"}, {"run", package, "--threads", "1"}}) {
    const Ended ended = run_and_signal_after(command, SIGINT, 1.0);
    EXPECT_EQ(ended.status, 130) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_NE(ended.err.find("cppgen: interrupted\n"), std::string::npos) << ended.err;
    EXPECT_EQ(temporary_files(), std::vector<std::string>());
  }
}

TEST_F(Interrupt, ProgressIsShownWhenAskedFor) {
  environment["CPPGEN_PROGRESS"] = "1";
  const Ended shown = run({"run", symbolic_model(), "--dim", "N=2"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.err.find("compiling kernels: 1 of 1, "), std::string::npos) << shown.err;
  environment.erase("CPPGEN_PROGRESS");
  EXPECT_EQ(run({"run", symbolic_model(), "--dim", "N=3"}).err, "") << "stderr is no terminal";
}

}  // namespace
}  // namespace cppgen
