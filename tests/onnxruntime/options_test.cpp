#include <gtest/gtest.h>

#include "cppgen/onnxruntime/provider_options.h"
#include "cppgen/onnxruntime/run_options.h"

namespace cppgen::ep {
namespace {

ProviderOptions with(const std::string& name, const std::string& value) {
  return options_from({{"ep.cppgenexecutionprovider." + name, value}});
}

TEST(ProviderOptions, OptionsOfTheProvider) {
  EXPECT_EQ(with("min_nodes", "7").min_nodes, 7u);
  EXPECT_EQ(with("min_milliseconds", "0.5").min_milliseconds, 0.5);
  EXPECT_EQ(with("max_boundary", "1").max_boundary, 1);
  EXPECT_EQ(with("sizes", "n=1,m=2;n=8").sizes, (std::vector<std::string>{"n=1,m=2", "n=8"}));
  EXPECT_EQ(with("dims", "n=1,x.1=m").dims, (std::vector<std::string>{"n=1", "x.1=m"}));
  EXPECT_EQ(with("custom_operators", "a.json:b.json").custom_operators, (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(with("threads", "2").settings, (std::map<std::string, std::string>{{"threads", "2"}}));
}

TEST(ProviderOptions, OptionsOfTheSession) {
  const ProviderOptions options = options_from({{"ep.context_enable", "1"},
                                                {"ep.context_embed_mode", "1"},
                                                {"ep.context_file_path", "a/b.onnx"},
                                                {"ep.context_node_name_prefix", "p_"},
                                                {"ep.other.threads", "3"},
                                                {"session.disable_cpu_ep_fallback", "1"}});
  EXPECT_TRUE(options.store_context && options.embed_context);
  EXPECT_EQ(options.context_path, "a/b.onnx");
  EXPECT_EQ(options.context_prefix, "p_");
  EXPECT_TRUE(options.settings.empty());
}

TEST(ProviderOptions, BadNumbersAreRefusedByName) {
  try {
    with("min_nodes", "many");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "cppgen: option min_nodes is 'many'; allowed are numbers from 0");
    EXPECT_EQ(failure.code(), ort::kInvalidArgument);
  }
  EXPECT_THROW(with("min_milliseconds", "-1"), Failure);
}

TEST(RunOptions, SettingsOfRunsReachTheRuntime) {
  ProviderOptions given;
  given.settings = {{"threads", "3"}, {"FLUSH_DENORMALS", "1"}, {"COMPILER_OPT", "-O1"}, {"spin-microseconds", "7"}};
  const RunOptions options(given);
  EXPECT_EQ(options.get().threads, 3);
  EXPECT_EQ(options.get().spin_microseconds, 7);
  EXPECT_STREQ(options.get().settings, "FLUSH_DENORMALS=1\n");
}

TEST(RunOptions, UnknownSettingsAreRefused) {
  ProviderOptions given;
  given.settings = {{"threds", "3"}};
  EXPECT_THROW(RunOptions{given}, Error);
  given.settings = {{"threads", "many"}};
  EXPECT_THROW(RunOptions{given}, Error);
}

}  // namespace
}  // namespace cppgen::ep
