// Contractions of float64 tensors.
#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

float same(float x) { return x; }

Products double_products(bool constant_right) {
  Products p;
  p.type = DType::f64, p.constant_right = constant_right;
  for (int64_t rows : {1, 3, 14, 15, 33}) p.matmuls.push_back({rows, 33, 64});
  for (int64_t columns : {7, 16, 63}) p.matmuls.push_back({17, columns, 64});
  for (int64_t K : {5, 31, 64, 1500}) p.matmuls.push_back({9, 48, K});
  p.matmuls.push_back({31, 20, 512});  // rows that conflict in the cache
  if (constant_right) p.convs = {{31, 32, 7, 3, 1}, {32, 33, 6, 1, 0}, {7, 32, 9, 3, 1, 2}};
  return p;
}

TEST(Doubles, TilesOnEveryInstructionSet) {
  for (const char* isa : {"scalar", "avx2", "avx512"})
    for (bool constant_right : {true, false}) {
      const auto m = machine(isa);
      if (!m) continue;
      SCOPED_TRACE(std::string(isa) + (constant_right ? ", constant" : ""));
      const Products p = double_products(constant_right);
      Graph graph = graph_of(p, same);
      const Result r = run_on(*m, graph, {}, inputs_of(p, same), 2);
      EXPECT_EQ(r.engines, std::vector<std::string>(p.matmuls.size() + p.convs.size(), "cppgen-f64"));
      const auto wanted = interpreted(p, same), sizes = magnitudes(p);
      for (size_t o = 0; o < wanted.size(); o++)
        for (int64_t i = 0; i < wanted[o].elements(); i++) {
          const double got = r.outputs[o].as<double>()[i], want = wanted[o].as<double>()[i];
          ASSERT_LE(std::abs(got - want), 1e-13 * sizes[o].as<double>()[i]) << "output " << o << " at " << i;
        }
    }
}

}  // namespace
}  // namespace cppgen::engines
