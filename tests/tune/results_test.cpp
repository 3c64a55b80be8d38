// The file of results, and the journal of a tuning.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "cppgen/tune/journal.h"
#include "runtime/base/errors.h"

namespace cppgen::tune {
namespace {

const TuningPlace kPlace{"some CPU", "avx2", 4, {"g++ 12"}, "0.1.0"};

TuningResult result(const std::string& site, const std::string& tuning = "contraction_units=8") {
  return {site, {"", false, tuning}, 20, 10, "model.onnx"};
}

class TuningResults : public testing::Test {
 protected:
  TempDirectory directory{system_temp_directory(), "cppgen-test."};
  const std::string file = directory.path() + "/tuning/results.jsonl";
  size_t count() const { return read_tuning_results(file, kPlace).size(); }
  void append_text(const std::string& text) const { std::ofstream(file, std::ios::app) << text; }
};

TEST_F(TuningResults, AreReadAsTheyWereWritten) {
  EXPECT_EQ(count(), 0u);
  append_tuning_results(file, kPlace, {{"conv-1", {"XSMM", true, "tile_start=0.6"}, 3.5, 2.25, "net.onnx"}});
  const auto list = read_tuning_results(file, kPlace);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].choice, (schedule::Choice{"XSMM", true, "tile_start=0.6"}));
  EXPECT_EQ(list[0].usual_us, 3.5);
  EXPECT_EQ(list[0].best_us, 2.25);
}

TEST_F(TuningResults, OfOtherPlacesAreNotUsed) {
  append_tuning_results(file, kPlace, {result("a")});
  for (TuningPlace other : {TuningPlace{"other CPU", "avx2", 4, {"g++ 12"}, "0.1.0"},
                            TuningPlace{"some CPU", "avx512", 4, {"g++ 12"}, "0.1.0"},
                            TuningPlace{"some CPU", "avx2", 2, {"g++ 12"}, "0.1.0"},
                            TuningPlace{"some CPU", "avx2", 4, {"g++ 13"}, "0.1.0"},
                            TuningPlace{"some CPU", "avx2", 4, {"g++ 12"}, "0.2.0"}})
    EXPECT_TRUE(read_tuning_results(file, other).empty());
}

TEST_F(TuningResults, ALineThatAKilledProcessLeftIsSkippedAndEnded) {
  append_tuning_results(file, kPlace, {result("a")});
  const std::string whole = read_file(file);
  for (size_t length = 0; length + 1 < whole.size(); length += 7) {
    ASSERT_EQ(write_file(file, whole + whole.substr(0, length)), 0);
    append_tuning_results(file, kPlace, {result("b")});
    const auto list = read_tuning_results(file, kPlace);
    ASSERT_EQ(list.size(), 2u) << length;
    EXPECT_EQ(list[1].site, "b");
  }
}

TEST_F(TuningResults, OfTwoWritersAreAllKept) {
  const auto write = [&](const char* name) {
    for (int i = 0; i < 50; i++) append_tuning_results(file, kPlace, {result(name + std::to_string(i)), result("x")});
  };
  std::thread a(write, "a"), b(write, "b");
  a.join(), b.join();
  EXPECT_EQ(count(), 200u);
}

TEST_F(TuningResults, AreMergedOnce) {
  const std::string other = directory.path() + "/other.jsonl";
  append_tuning_results(other, kPlace, {result("a"), result("b")});
  append_tuning_results(file, kPlace, {result("a")});
  EXPECT_EQ(merge_tuning_results(file, read_file(other), other), 1);
  EXPECT_EQ(merge_tuning_results(file, read_file(other), other), 0);
  EXPECT_EQ(count(), 2u);
}

// Whatever their order. A tuning replaces its own results, and refutes a choice, not a site.
TEST_F(TuningResults, TheOneThatGainsTheMostIsUsed) {
  const auto found = [](const char* engine, double best, const char* by) {
    return TuningResult{"a", {engine, false, ""}, 100, best, "model.onnx", by};
  };
  const TuningResult good = found("XSMM", 50, "one"), less = found("ONEDNN", 75, "two"),
                     again = found("XSMM", 90, "one"), slower = found("XSMM", 500, "three"),
                     refuted{"a", {"XSMM", false, ""}, 0, 0, "model.onnx", "two"};
  const auto used = [&](const std::vector<TuningResult>& results) {
    (void)write_file(file, "");
    append_tuning_results(file, kPlace, results);
    const ResultsBySite in_use = results_in_use(file, kPlace);
    return in_use.empty() ? "" : in_use.at("a").choice.backend;
  };
  append_tuning_results(file, kPlace, {});
  EXPECT_EQ(used({good, less}), "XSMM");
  EXPECT_EQ(used({less, good}), "XSMM");
  EXPECT_EQ(used({good, less, again}), "ONEDNN") << "measured again, it gains less";
  EXPECT_EQ(used({good, less, refuted}), "ONEDNN");
  EXPECT_EQ(used({good, refuted}), "");
  EXPECT_EQ(used({slower}), "");
  const std::string lines = tuning_lines(kPlace, {good, refuted, less});
  EXPECT_EQ(used({good}), "XSMM");
  EXPECT_EQ(merge_tuning_results(file, lines, "other.jsonl"), 1) << "what was refuted elsewhere is no news";
  EXPECT_EQ(results_in_use(file, kPlace).at("a").choice.backend, "XSMM");
}

// Results of runs do not depend on the number of threads, nor do choices that may change their bits.
TEST_F(TuningResults, ChoicesThatChangeBitsAreThoseOfAllNumbersOfThreads) {
  TuningPlace one = kPlace;
  one.threads = 1;
  const auto found = [](const char* site, const char* engine, const char* tuning, double best) {
    return TuningResult{site, {engine, false, tuning}, 100, best, "model.onnx", std::string(engine) + tuning};
  };
  append_tuning_results(file, kPlace, {found("a", "XSMM", "", 50), found("b", "", "contraction_units=8", 50)});
  append_tuning_results(file, one, {found("a", "ONEDNN", "", 60), found("b", "", "contraction_units=4", 60)});
  EXPECT_EQ(results_in_use(file, one).at("a").choice.backend, "XSMM");
  EXPECT_EQ(results_in_use(file, kPlace).at("a").choice.backend, "XSMM");
  EXPECT_EQ(results_in_use(file, one).at("b").choice.tuning, "contraction_units=4");
}

TEST_F(TuningResults, AFileThatHoldsAnythingElseIsNotMerged) {
  const std::string other = directory.path() + "/other.jsonl";
  for (const char* text : {"no JSON\n", "{\"site\": 3}\n", "[]\n"}) {
    ASSERT_EQ(write_file(other, text), 0);
    try {
      merge_tuning_results(file, read_file(other), other);
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(other + ":1: is not the result of a tuning"), std::string::npos);
    }
  }
}

// What cannot be a result is neither merged nor used nor exported.
TEST_F(TuningResults, WithEnginesOrTimesThatDoNotExistAreRefused) {
  TuningResult no_engine = result("a"), no_time = result("b");
  no_engine.choice.backend = "NOSUCH", no_time.usual_us = -5;
  for (const TuningResult& bad : {no_engine, no_time})
    EXPECT_THROW(merge_tuning_results(file, tuning_lines(kPlace, {bad}), "other.jsonl"), UserError);
  append_tuning_results(file, kPlace, {no_engine, no_time, result("c")});
  append_tuning_lines(file, "{\"site\": ");
  EXPECT_EQ(read_tuning_results(file, kPlace).size(), 1u);
  EXPECT_EQ(valid_tuning_lines(file), tuning_lines(kPlace, {result("c")}));
}

TEST_F(TuningResults, WithConstantsThatDoNotExistAreIgnored) {
  append_tuning_results(file, kPlace, {result("a", "no_such_constant=8"), result("b")});
  const auto list = read_tuning_results(file, kPlace);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].site, "b");
}

TEST_F(TuningResults, AJournalContinuesAfterAKill) {
  const std::string path = directory.path() + "/tuning/journal.jsonl";
  Journal(path).add("XSMM", {"", {{{"conv-1"}, 2, 1}}});
  Journal(path).add("ONEDNN", {"was killed by signal 11", {}});
  std::ofstream(path, std::ios::app) << "{\"candidate\": \"contraction_u";
  Journal journal(path);
  ASSERT_TRUE(journal.find("XSMM") && journal.find("ONEDNN"));
  EXPECT_EQ(journal.find("XSMM")->regions.at(0).ms, 1);
  EXPECT_EQ(journal.find("ONEDNN")->failure, "was killed by signal 11");
  EXPECT_EQ(journal.find("contraction_units=8"), nullptr);
  journal.add("contraction_units=8", {});
  EXPECT_TRUE(Journal(path).find("contraction_units=8"));
}

}  // namespace
}  // namespace cppgen::tune
