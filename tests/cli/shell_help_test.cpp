// The manual page and completions are made of the program's commands, and shells and man accept them.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

class ShellHelp : public CliTest {
 protected:
  std::string printed(const std::vector<std::string>& arguments) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.out;
  }
  // The output of a shell command.
  static std::string output_of(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += char(c);
    EXPECT_EQ(::pclose(pipe), 0) << text;
    return text;
  }
  // The completions of the last word of a command line, by bash itself.
  std::string completed(const std::string& words) const {
    folder.write("bash", printed({"completion", "bash"}));
    folder.write("try.sh", "source '" + path("bash") + "'\ncompopt() { :; }\nCOMP_WORDS=(" + words +
                               ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_cppgen\necho \"${COMPREPLY[*]}\"\n");
    std::string text = output_of("bash '" + path("try.sh") + "'");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
};

TEST_F(ShellHelp, BashCompletesCommandsOptionsAndSettings) {
  EXPECT_EQ(completed("cppgen comp"), "compile completion");
  EXPECT_EQ(completed("cppgen help ver"), "verify");
  EXPECT_EQ(completed("cppgen compile --he"), "--help --header");
  EXPECT_EQ(completed("cppgen run model.onnx --set MIN_CH"), "MIN_CHUNK_SIZE=");
  EXPECT_EQ(completed("cppgen run --isa avx512_v"), "avx512_vnni");
  folder.write("model.onnx", "");
  EXPECT_EQ(completed("cppgen run '" + path("mod") + "'"), path("model.onnx"));
}

TEST_F(ShellHelp, HiddenCommandsAreNotShown) {
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_THAT(printed({"completion", shell}), testing::Not(testing::HasSubstr("trial"))) << shell;
  EXPECT_EQ(run({"completion", "tcsh"}).status, 2);
}

TEST_F(ShellHelp, OtherShellsAcceptTheirs) {
  for (const std::string shell : {"zsh", "fish"}) {
    CPPGEN_NEEDS_DATA("/usr/bin/" + shell);
    folder.write(shell, printed({"completion", shell}));
    EXPECT_EQ(output_of(shell + " -n '" + path(shell) + "'"), "");
  }
}

TEST_F(ShellHelp, TheManualPageIsFreeOfWarnings) {
  const std::string page = printed({"manual"});
  EXPECT_THAT(page, testing::HasSubstr("CPPGEN_MIN_CHUNK_SIZE"));
  EXPECT_THAT(page, testing::HasSubstr(".SS cppgen compile"));
  CPPGEN_NEEDS_DATA("/usr/bin/groff");
  folder.write("cppgen.1", page);
  EXPECT_EQ(output_of("groff -man -Tutf8 -ww '" + path("cppgen.1") + "' > '" + path("cppgen.txt") + "'"), "");
}

}  // namespace
}  // namespace cppgen
