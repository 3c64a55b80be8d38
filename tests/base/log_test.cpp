#include "runtime/base/log.h"

#include <gtest/gtest.h>

#include "runtime/base/errors.h"
#include "runtime/base/log_copy.h"

namespace cppgen {
namespace {

TEST(Log, ShowsTheLevelAndAboveOnStderr) {
  testing::internal::CaptureStderr();
  log_info("hidden {}", 1);
  log_warning("kernel {} of {}", 2, "model");
  set_log_level(log_level_from_name("debug"));
  log_debug("braces {{}} {}", "{}");
  set_log_level(LogLevel::error);
  log_warning("hidden");
  log_error("last");
  EXPECT_FALSE(log_enabled(LogLevel::warning));
  set_log_level(LogLevel::warning);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cppgen: warning: kernel 2 of model\ncppgen: debug: braces {} {}\ncppgen: error: last\n");
}

TEST(Log, CopiesHoldWhatIsLoggedMeanwhileShownOrNot) {
  testing::internal::CaptureStderr();
  set_log_level(LogLevel::error);
  log_warning("before");
  std::string text;
  {
    const LogCopy copy;
    log_warning("kernel {}", 1);
    log_info("kernel {}", 2);
    log_debug("kernel {}", 3);
    text = copy.text();
  }
  log_warning("after");
  EXPECT_FALSE(log_enabled(LogLevel::warning));
  set_log_level(LogLevel::warning);
  EXPECT_EQ(text, "warning: kernel 1\ninfo: kernel 2\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Log, WhatASettingWroteIsToldOnce) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; i++) log_written("TRACE", "/there/\x1b[2J");
  log_written("TRACE", "/elsewhere");
  set_log_level(LogLevel::error);
  log_written("TRACE", "/hidden");
  set_log_level(LogLevel::warning);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cppgen: TRACE: written to /there/\\x1b[2J\ncppgen: TRACE: written to /elsewhere\n");
}

TEST(Log, LevelsHaveTheNamesOfTheSetting) {
  EXPECT_EQ(log_level_from_name("DEBUG"), LogLevel::debug);
  EXPECT_EQ(log_level_from_name("info"), LogLevel::info);
  EXPECT_EQ(log_level_from_name("Warning"), LogLevel::warning);
  EXPECT_EQ(log_level_from_name("ERROR"), LogLevel::error);
  EXPECT_THROW(log_level_from_name("loud"), UserError);
}

}  // namespace
}  // namespace cppgen
