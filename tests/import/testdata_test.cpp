// Every model of the ONNX test data, and the real networks when they are there.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "cppgen/import/import.h"
#include "cppgen/import/summary.h"
#include "runtime/base/errors.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;
const fs::path kTestData = "/usr/share/libonnx-testdata/data";

TEST(TestData, OnlyTypesThatAreNotTensorsAreRefused) {
  CPPGEN_NEEDS_DATA(kTestData);
  int imported = 0;
  std::map<std::string, int> refusals;
  for (const auto& entry : fs::recursive_directory_iterator(kTestData)) {
    if (entry.path().extension() != ".onnx") continue;
    try {
      Graph g = import_onnx(entry.path().string());
      imported++;
    } catch (const UserError& e) {
      std::string what = e.what();
      bool known = false;
      for (const char* reason : {"is a sequence, which", "is an optional, which", "has element type string, which"})
        if (what.find(reason) != std::string::npos) {
          refusals[reason]++;
          known = true;
        }
      EXPECT_TRUE(known) << what;
    }
    EXPECT_NO_THROW(summarize_onnx(entry.path().string()));
  }
  EXPECT_GE(imported, 1030);
  for (const auto& [reason, count] : refusals) RecordProperty(reason, count);
}

TEST(Networks, AreImported) {
  fs::path folder = CPPGEN_MODELS_DIR;
  CPPGEN_NEEDS_DATA(folder / "squeezenet1_1.onnx");
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    Graph g = import_onnx(entry.path().string());
    EXPECT_FALSE(g.nodes.empty());
    count++;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace cppgen
