// docs/settings.md is generated from the table of settings. After a change of the table update it:
//   UPDATE_DOCS=1 build/release/bin/test_docs
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "runtime/base/foreign_names.h"
#include "runtime/base/settings.h"

namespace cppgen {
namespace {

constexpr const char* kPath = CPPGEN_SOURCE_DIR "/docs/settings.md";

constexpr const char* kIntroduction =
    R"(# Settings

This page is generated from `runtime/base/settings.def`; the test `docs` fails if it is out of date and prints the
command that updates it. `cppgen config` shows the same settings with their current values and where each value came from.

An option (`--set NAME=VALUE`, `--threads`, `--isa`, the API) has precedence over the `CPPGEN_` variable, which has
precedence over its aliases, then the default. An empty variable counts as unset. Booleans are 1/0, true/false, yes/no or
on/off in any case. A value that cannot be parsed or is not allowed is an error that lists what is allowed; an unknown
`CPPGEN_` variable causes a warning with the nearest known name.

An alias is a name that other tools use for the same setting; it is read only if the `CPPGEN_` variable is unset. An alias
never causes an error: a value that is not allowed here, or that contradicts another alias, is ignored with a warning; of a
list, the words that are known here are used. Variables of other tools that have no equivalent here cause a warning.

Programs that only run packages (`cppgen-run`, and those that use the C API) read only the settings that are read when
running. "Changes kernels" means that the setting is part of the key under which compiled models are
cached.

)";

constexpr const char* kAbsentIntroduction = R"(
## Settings that do not exist on purpose

If one of these variables is set, a warning repeats the reason.

)";

std::string expected_page() {
  return kIntroduction + settings_reference_markdown() + kAbsentIntroduction + absent_settings_markdown();
}

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
  EXPECT_EQ(read(kPath), expected_page()) << "update it: UPDATE_DOCS=1 build/release/bin/test_docs";
}

// The page has a table for each group, whose rows have as many cells as its head, whatever the texts of the settings
// are.
TEST(Docs, SettingsPageHasATableForEachGroup) {
  std::istringstream lines(settings_reference_markdown());
  size_t rows = 0;
  std::set<std::string> groups;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.starts_with("## ")) {
      EXPECT_TRUE(groups.insert(line.substr(3)).second) << line << " twice";
      continue;
    }
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); i++) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(bars, 7u) << line;
    rows++;
  }
  EXPECT_EQ(rows, kSettingCount + 2 * groups.size());
  for (const SettingDescription& row : Settings().describe())
    EXPECT_TRUE(groups.contains(std::string(row.group))) << row.name;
}

}  // namespace
}  // namespace cppgen
