#pragma once
#include <string>
#include <vector>

#include "cppgen/ir/values/expr.h"

namespace cppgen::kernel {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;

// Estimates of what one run of a kernel executes and moves, for predictions of its time. Instructions are those of
// vectors, masked tails included.
struct KernelWork {
  // Multiply-adds of sums of products, each counted as two operations: without the padding of tiles, and in an
  // attention without keys that a condition on indices or a constant mask hides.
  IndexExpr flops = 0;
  double rate = 1;                  // of these, the highest that the CPU reaches: 1 for the float32 vectors of the ISA
  IndexExpr products = 0;           // multiply-adds on tiles, with the padding of tiles
  IndexExpr multi_instruction = 0;  // operations of several instructions, as multiply-adds that take as long
  IndexExpr functions = 0;          // of these, what divisions and functions take at least
  IndexExpr instructions = 0;       // all others
  IndexExpr bytes = 0;              // read and written in memory, each element counted once
};

// Properties of loops that make their accesses cheaper.
struct LoopCosts {
  bool transposed = false;  // tiles are transposed in the cache
  // Neighbouring points of the loop before the last one share what does not depend on it.
  bool neighbours_share = false;
};

// Tiles that finish their results (vec/generic/tile_ends.h), by finished_number(), with these numbers of rows.
struct FinishedTiles {
  int number;
  std::vector<int64_t> row_counts;
};

// The numbers that plans of all forms of kernels (cppgen/forms) state. Plans depend only on shapes, layouts, the target
// and the tuning, so that results never depend on the number of threads.
struct KernelPlan {
  IndexExpr units = 1;      // that threads share
  IndexExpr unit_work = 1;  // of one unit, in elements of a pointwise kernel
  IndexExpr scratch_bytes = 0;
  // If threads divide the columns of a contraction and not its rows, because neighbouring units are rows of the same
  // panels, this is the left operand, which each of them reads. Otherwise -1.
  BufferId read_by_all = -1;
  IndexExpr column_groups = 1;       // groups of panels of a contraction, each of which is a unit for the same rows
  bool reads_parts_of_rows = false;  // short parts, of different rows one after the other
  bool keeps_numbers = false;        // sizes stay constants of its function, which kernels of other sizes do not share
  int64_t tile_functions = 0;        // tiles of different numbers of rows, each of which takes time to compile
  std::vector<FinishedTiles> finished_tiles;  // that it calls
  std::string description;  // of the form, for people: "columns: blocks of 2048, 4 vectors side by side"
  KernelWork work;
};

// One readable line: "columns: 4 vectors side by side; 12 units of 2048 points, ...".
std::string to_string(const KernelPlan&);

}  // namespace cppgen::kernel
