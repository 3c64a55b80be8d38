// Register-blocked tiles of C = A * B over packed panels, and the table of functions that kernels call. For what a tile
// computes see runtime/contraction/tiles.h.
#pragma once
#include <string_view>

#include "runtime/abi/abi.h"

namespace cppgen::rt {

// Rows and columns of the largest tile of an ISA. Tiles of fewer rows exist; columns are fixed.
struct TileShape {
  int mr, nr;
};

// All three throw InternalError if `isa` is no row of the table of instruction sets (isa/vec_isa.h).
TileShape tile_shape(std::string_view isa);

// The callbacks for kernels of this ISA: tile functions and double precision math. Lives as long as the program;
// running the tiles needs a CPU that has the ISA.
const cppgen_runtime* runtime_table(std::string_view isa);

// Floats that pack_panels writes: ceil(n / nr) panels of k * nr.
long packed_floats(long k, long n, int nr);

// Packs B, k x n with element (kk, j) at b[kk * k_stride + j * n_stride], into panels of nr columns:
// out[(j / nr) * k * nr + kk * nr + j % nr]. Columns from n on are zero. `out` has packed_floats(k, n, nr) floats and,
// for tiles, an alignment of 64 bytes.
void pack_panels(const float* b, long k, long n, long k_stride, long n_stride, int nr, float* out);

}  // namespace cppgen::rt
