// Packing of contraction panels, and the table of functions that kernels call. For what a tile computes see
// runtime/contraction/tiles.h.
#pragma once
#include <span>
#include <string_view>

#include "runtime/abi/abi.h"
#include "runtime/contraction/formats.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::rt {

// The callbacks for kernels of this ISA: tile functions and double precision math. Lives as long as the program;
// running the tiles requires a CPU with the ISA. Throws InternalError if `isa` is not a row of the table of instruction
// sets.
const cppgen_runtime* runtime_table(std::string_view isa);

// The callbacks for kernels of an instruction set, with matrix tiles and tiles of pairs of bfloat16 that are emulated:
// they run where its kernels do, and are slow.
const cppgen_runtime* emulated_amx_table(std::string_view isa);

// One tap of the right operand of a contraction, [K, columns], strides in elements.
struct PanelSource {
  const void* data;
  long k, columns, k_stride, column_stride;
};

// Elements of one tap of one panel of `nr` columns.
long panel_tap_elements(TileFormat, long K, int nr);

// Packs the tap into ceil(columns / nr) panels of one slice each, `panel_stride` elements from one to the next, in the
// layout that TileFormatInfo::k_group states. For tiles, `out` must be aligned to 64 bytes. Formats of blocks are
// not supported.
void pack_tap(TileFormat, const PanelSource&, int nr, long panel_stride, void* out);

// Packs all taps, which have the same K and number of columns, into ceil(columns / nr) panels of panel_elements()
// each.
void pack_panels(TileFormat, std::span<const PanelSource> taps, int nr, void* out);

// Packs the taps of a convolution of float32, in the order of their rows, as Winograd's algorithm of this form
// (winograd.h) multiplies them: the products of a patch are the taps of the panels. Behind these are the panels of the
// taps themselves, as pack_panels() writes them.
void pack_winograd(winograd::Form, std::span<const PanelSource> taps, int nr, float* out);

}  // namespace cppgen::rt
