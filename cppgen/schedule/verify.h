#pragma once
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Verifies a schedule with steps, in time that is nearly linear in their size. A broken rule is an InternalError that
// names the step or the buffer. The rules:
// - every buffer that a step touches exists, and is stored by an earlier step before it is read;
// - a kernel's arguments are just what its segments and operands touch in memory, and no other step touches what it
//   keeps to itself;
// - a layout names each dimension once; inputs and outputs are row-major, and only temporaries have gaps;
// - a packed constant is made of a constant, from elements that it has;
// - an output in place of an input is as large, and no later step reads the input;
// - numbers that choose loops, tiles and vectors are in range.
void verify(const Schedule&);

// Verifies those of these rules that concern layouts and packed constants, which hold as soon as there are layouts.
void verify_storage(const Schedule&);

// Verifies the program of a schedule (ir::verify). Packed constants, which get their bytes when weights are written,
// count as inputs.
void verify_program(const Schedule&);

}  // namespace cppgen::schedule
