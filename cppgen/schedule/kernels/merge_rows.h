#pragma once
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Makes one loop of the rows of each contraction on tiles where every address that they move - of the left operand, and
// of what the epilogue reads and writes - moves by the same step from each row to the next: for each of the two by
// itself.
void merge_rows(Schedule&);

}  // namespace cppgen::schedule
