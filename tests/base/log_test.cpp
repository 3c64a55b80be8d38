#include "runtime/base/log.h"

#include <gtest/gtest.h>

#include "runtime/base/errors.h"

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

TEST(Log, LevelsHaveTheNamesOfTheSetting) {
  EXPECT_EQ(log_level_from_name("DEBUG"), LogLevel::debug);
  EXPECT_EQ(log_level_from_name("info"), LogLevel::info);
  EXPECT_EQ(log_level_from_name("Warning"), LogLevel::warning);
  EXPECT_EQ(log_level_from_name("ERROR"), LogLevel::error);
  EXPECT_THROW(log_level_from_name("loud"), UserError);
}

}  // namespace
}  // namespace cppgen
