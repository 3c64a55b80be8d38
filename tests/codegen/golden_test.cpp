// The text of short kernels of each form. UPDATE_GOLDEN=1 in the environment rewrites the files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/codegen/emitted.h"

namespace cppgen::codegen {
namespace {

TEST(Golden, KernelBodies) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    GraphMaker g = sample.make();
    std::string text;
    for (const KernelText& k : emitted(g, *find_isa("avx2"))) text += k.comment + "// " + k.name + "\n" + body_of(k);
    std::string path = std::string(CPPGEN_GOLDEN_DIR) + "/" + sample.name + ".txt";
    if (const char* update = std::getenv("UPDATE_GOLDEN"); update && *update == '1') {
      std::ofstream(path) << text;
      continue;
    }
    std::ifstream file(path);
    ASSERT_TRUE(file) << path << " is missing: run with UPDATE_GOLDEN=1";
    std::stringstream golden;
    golden << file.rdbuf();
    EXPECT_EQ(text, golden.str()) << "if the change is intended: UPDATE_GOLDEN=1";
  }
}

}  // namespace
}  // namespace cppgen::codegen
