#include "tests/settings/effect.h"

namespace cppgen {
namespace {

std::set<std::string> names_of_tests(const std::string& suite_name) {
  std::set<std::string> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); s++) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    if (suite.name() != suite_name) continue;
    for (int t = 0; t < suite.total_test_count(); t++) names.insert(suite.GetTestInfo(t)->name());
  }
  return names;
}

TEST(SettingEffects, EveryRowOfTheTableHasATest) {
  std::set<std::string> rows;
  for (const SettingDescription& row : Settings().describe()) rows.insert(std::string(row.name));
  EXPECT_EQ(names_of_tests("SettingEffect"), rows);
}

}  // namespace
}  // namespace cppgen
