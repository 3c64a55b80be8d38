// Runs a model that cppgen_add_model compiled: its inputs and outputs are members, whose element types and dimensions
// are checked when this is compiled.
#include <small.h>

#include <cstdio>

int main() try {
  small model;
  const float x[] = {1, 2, 3, 4, -1, -2, -3, -4};
  float y[8];
  model.run({{x, {2}}}, {{y, {2}}});
  for (const float value : y) std::printf("%g ", static_cast<double>(value));
  std::printf("\n");
} catch (const cppgen::Error& error) {
  std::fprintf(stderr, "run_small: %s\n", error.what());
  return 2;
}
