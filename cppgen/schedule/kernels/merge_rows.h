#pragma once
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Makes one loop of the rows of each contraction on tiles, if addresses move by the same step from each row to the
// next. The left operand, and what the epilogue reads and writes, are looked at separately: each has its own loops of
// rows.
void merge_rows(Schedule&);

}  // namespace cppgen::schedule
