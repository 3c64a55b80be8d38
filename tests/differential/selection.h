#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cppgen::differential {

// The samples that the command line of a test program selects.
struct Selection {
  size_t share;        // every share-th sample
  size_t turn = 0;     // which of these: tests/run.sh takes others for each commit (TEST_TURN)
  std::string only{};  // those of this operator, all of them; "": those of all operators
  int only_case = -1;  // among those of `only`
  bool print = false;  // prints the text that is emitted for it
};

// A program defines both: what it does without options, and the options that it takes, of --share, --turn, --only,
// --case and --print. The function main (selection.cpp) sets the selection before the tests run; without --turn, it
// takes the number in the variable TEST_TURN of the environment, and prints what makes the same selection again.
extern Selection selection;
extern const std::vector<std::string_view> selecting_options;

}  // namespace cppgen::differential
