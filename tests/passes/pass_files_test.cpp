// Each pass, by texts before and after it (pass_file.h); what engines refuse; and the forms of kernels.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "cppgen/forms/forms.h"
#include "cppgen/schedule/engines/attention_engine.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "runtime/base/errors.h"
#include "tests/passes/pass_file.h"

namespace cppgen {
namespace {

constexpr size_t kLeastCases = 3;

std::vector<PassFile> files() { return read_pass_files(CPPGEN_PASS_TESTS "/files"); }
std::vector<PassFile> engine_files() { return read_pass_files(CPPGEN_PASS_TESTS "/engines"); }
std::vector<PassFile> form_files() { return read_pass_files(CPPGEN_PASS_TESTS "/forms"); }

std::vector<PassFile> all_files() {
  std::vector<PassFile> all = files();
  for (const auto& more : {engine_files(), form_files()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(PassFiles, PrintWhatIsExpected) {
  const char* asked = std::getenv("UPDATE_PASS_FILES");
  const bool update = asked && *asked == '1';
  for (PassFile& file : all_files()) {
    for (PassCase& it : file.cases) {
      SCOPED_TRACE(file.path + ": " + it.title);
      const std::string result = printed(it, command_of(it));
      if (update) it.input = complete_text(read_text(it.input, "input")), it.expected = result;
      EXPECT_EQ(result, it.expected) << "if the change is intended: UPDATE_PASS_FILES=1";
    }
    if (update) write_pass_file(file);
  }
}

// Inputs are written as they are printed, so that a reader compares what differs; and results are texts, too.
TEST(PassFiles, AreNormal) {
  for (const PassFile& file : all_files())
    for (const PassCase& it : file.cases) {
      SCOPED_TRACE(file.path + ": " + it.title);
      EXPECT_EQ(complete_text(read_text(it.input, "input")), it.input);
      if (it.expected.starts_with("error: ")) continue;
      EXPECT_EQ(complete_text(read_text(it.expected, "expected")), it.expected);
    }
}

TEST(PassFiles, CoverEachPass) {
  std::set<std::string> covered;
  for (const PassFile& file : files()) {
    covered.insert(file.pass);
    EXPECT_GE(file.cases.size(), kLeastCases) << file.path;
  }
  for (const std::string& pass : names_of_passes()) EXPECT_TRUE(covered.count(pass)) << pass << " has no file";
}

TEST(PassFiles, CoverEachEngine) {
  std::set<std::string> covered;
  for (const PassFile& file : engine_files()) {
    covered.insert(file.pass);
    EXPECT_GE(file.cases.size(), kLeastCases) << file.path;
    for (const PassCase& it : file.cases) {
      const size_t subject = it.expected.find(" on " + file.pass + "\"");
      ASSERT_NE(subject, std::string::npos) << file.path << ": " << it.title;
      const std::string decision = it.expected.substr(subject, it.expected.find('}', subject) - subject);
      EXPECT_EQ(decision.find("applies"), std::string::npos) << file.path << ": " << it.title << ": " << decision;
    }
  }
  covered.insert("loops");  // which refuses nothing
  for (const schedule::Engine& engine : schedule::engine_list())
    EXPECT_TRUE(covered.count(engine.name)) << engine.name << " has no file";
  for (const schedule::AttentionEngine& engine : schedule::attention_engine_list())
    EXPECT_TRUE(covered.count(engine.name)) << engine.name << " has no file";
}

TEST(PassFiles, CoverEachForm) {
  size_t forms = 0;
  for (const PassFile& file : form_files()) {
    forms++;
    EXPECT_GE(file.cases.size(), kLeastCases) << file.path;
    for (const PassCase& it : file.cases)
      EXPECT_NE(it.expected.find("plan " + file.pass + " {"), std::string::npos) << file.path << ": " << it.title;
  }
  EXPECT_EQ(forms, forms::form_list().size());
}

// The types that passes leave are those that inference gives, and schedules are read back.
TEST(PassFiles, ResultsAreRight) {
  for (const PassFile& file : all_files())
    for (const PassCase& it : file.cases) {
      SCOPED_TRACE(file.path + ": " + it.title);
      PassCommand command = command_of(it);
      command.runs.verify = true;
      EXPECT_EQ(printed(it, command), it.expected);
    }
}

// If a pass did nothing, cases would fail: for each pass, one at least prints something else without it.
TEST(PassFiles, FailIfAPassDoesNothing) {
  for (const PassFile& file : files()) {
    size_t different = 0;
    for (const PassCase& it : file.cases) {
      PassCommand command = command_of(it);
      ASSERT_FALSE(command.runs.passes.empty()) << file.path << ": " << it.title;
      EXPECT_EQ(command.runs.passes.back(), file.pass) << file.path << ": " << it.title;
      command.runs.passes.pop_back();
      different += printed(it, command) != it.expected;
    }
    EXPECT_GE(different, size_t{1}) << file.path;
  }
}

}  // namespace
}  // namespace cppgen
