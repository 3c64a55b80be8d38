// Writes the small test package into the directory that is its argument.
#include "tests/runtime/test_package.h"

using namespace cppgen::rt::test;

int main(int, char** argv) { write_package(argv[1], two_step_plan(), kTwoStepSource, kTwoStepWeights); }
