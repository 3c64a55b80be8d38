// Settings that a trace may bring along.
#include <gtest/gtest.h>

#include <set>

#include "cppgen/flow/trace/trace_settings.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"

namespace cppgen {
namespace {

using Names = std::set<std::string_view>;

Names names_of(std::initializer_list<SettingKind> kinds) {
  constexpr std::pair<SettingKind, std::string_view> kRows[] = {
#define CPPGEN_SETTING(kind, field, name, ...) {SettingKind::kind, #name},
#include "runtime/base/settings.def"
  };
  Names names;
  for (const auto& [kind, name] : kRows)
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) names.insert(name);
  return names;
}

// Whoever adds a setting with a text of its own decides here whether the text may come from a stranger: not if it names
// a program, a file, a server or options of one.
TEST(TracedSettings, EveryTextIsClassified) {
  const Names never = {"CXX",        "CUSTOM_OPS",     "CACHE_DIR",  "CACHE_DIR_SHARED", "WORKER_LOG_PATH", "TRACE_DIR",
                       "OPS_PREFIX", "PROFILE_OUTPUT", "OPS_RECORD", "REMOTE_CACHE",     "AOT_OUTPUT_PATH"};
  const Names closed = {"DEBUG_LEVEL", "GEMM_CACHE_BLOCKING", "TUNING", "COSTS"};
  Names classified = never;
  classified.insert(closed.begin(), closed.end());
  EXPECT_EQ(names_of({SettingKind::text, SettingKind::path}), classified);
  for (const std::string_view name : never) EXPECT_FALSE(is_traced_setting(name)) << name;
  for (const std::string_view name : closed) EXPECT_TRUE(is_traced_setting(name)) << name;
  for (const std::string_view name : names_of({SettingKind::path})) EXPECT_FALSE(is_traced_setting(name)) << name;
}

TEST(TracedSettings, NamesAreThoseOfTheTable) {
  for (const char* name : {"", "isa", "CPPGEN_ISA", "ISA ", "NOTHING"}) EXPECT_FALSE(is_traced_setting(name)) << name;
  TraceRecord record;
  record.isa = "scalar";
  record.settings = {{"ISA", "auto"}, {"MAX_FUSION_SIZE", "8"}, {"MAX_MEMORY", "1000"}};
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(settings_of_trace(record, 1000),
            (Pairs{{"ISA", "scalar"}, {"MAX_FUSION_SIZE", "8"}, {"MAX_MEMORY", "1000"}}));
  EXPECT_EQ(settings_of_trace(record, 999), (Pairs{{"ISA", "scalar"}, {"MAX_FUSION_SIZE", "8"}}));
  record.isa = "scalar\nCXX=x";
  EXPECT_THROW(settings_of_trace(record, 1000), UserError);
}

// The options of compilers that are not known to be harmless.
TEST(DebugLevel, HasOnlyHarmlessOptions) {
  const auto is_allowed = [](const char* value) {
    try {
      Settings().set("DEBUG_LEVEL", value);
      return true;
    } catch (const UserError&) {
      return false;
    }
  };
  for (const char* good : {"0", "1", "2", "-g", "-g3 -Og", "-ggdb3", "-gdwarf-5 -O0", "-gz=zlib",
                           "-fsanitize=address,undefined", "-fno-omit-frame-pointer -O2", "-fno-sanitize-recover=all"})
    EXPECT_TRUE(is_allowed(good)) << good;
  for (const char* bad : {"3",
                          "-",
                          "-wrapper sh",
                          "-g -wrapper sh",
                          "-B/x",
                          "-specs=x",
                          "-fplugin=x",
                          "-fplugin-arg-x-y",
                          "-g @x",
                          "-o x",
                          "-include x",
                          "-x c",
                          "-g/x",
                          "-g3 x",
                          "-fsanitize=/x",
                          "-fsanitize-blacklist=/x",
                          "-save-temps",
                          "-dumpbase x",
                          "-Ofast",
                          "-fprofile-use=x",
                          "-fdump-tree-all=x",
                          "-g'",
                          "-g\"",
                          "-g;x",
                          "-g$x",
                          "-G"})
    EXPECT_FALSE(is_allowed(bad)) << bad;
}

}  // namespace
}  // namespace cppgen
