// docs/settings.md is generated from the table of settings. After a change of the table write it anew:
//   UPDATE_DOCS=1 build/release/bin/test_docs
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/base/settings.h"

namespace cppgen {
namespace {

constexpr const char* kPath = CPPGEN_SOURCE_DIR "/docs/settings.md";

constexpr const char* kIntroduction =
    R"(# Settings

This page is generated from `runtime/base/settings.def`; the test `docs` fails when it is out of date and says how to
write it anew. `cppgen config` shows the same settings with their values in effect and where each value came from.

Precedence: an option (`--set NAME=VALUE`, `--threads`, `--isa`, the API), then the `CPPGEN_` variable, then its
aliases, then the default. An empty variable counts as unset. Booleans are 1/0, true/false, yes/no, on/off in any case. A
value that does not parse or is not allowed is an error that says what is allowed; an unknown `CPPGEN_` variable is a
warning with the nearest known name.

An alias is a name that other tools use for the same thing; it is read only where the `CPPGEN_` variable is unset. It never
stops anything: a value that is not allowed here, or that differs from that of another alias, is ignored with a warning,
and of a list the words that are known here count. Names of other tools that have no setting here are told once.

Settings that are read when running are all that programs read that only run packages: `cppgen-run`, the C API and
`SessionOptions::from_environment()`. "Changes kernels" means that the setting is part of the key under which compiled
models are cached.

)";

std::string expected_page() { return kIntroduction + settings_reference_markdown(); }

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, SettingsPageIsUpToDate) {
  if (std::getenv("UPDATE_DOCS")) {
    std::ofstream(kPath, std::ios::binary) << expected_page();
  }
  EXPECT_EQ(read(kPath), expected_page()) << "write it anew: UPDATE_DOCS=1 build/release/bin/test_docs";
}

// The page is a table whose rows have as many cells as its head, whatever the texts of the settings are.
TEST(Docs, SettingsPageIsATable) {
  std::istringstream lines(settings_reference_markdown());
  size_t rows = 0;
  for (std::string line; std::getline(lines, line); rows++) {
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); i++) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(bars, 7u) << line;
  }
  EXPECT_EQ(rows, kSettingCount + 2);
}

}  // namespace
}  // namespace cppgen
