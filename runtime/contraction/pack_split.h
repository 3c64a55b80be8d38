#pragma once

namespace cppgen::rt {

// Packs 32 columns for split tiles: rows of 32 floats, one per step of K (of all taps), into
// split::panel_bytes(K, parts) bytes, aligned to 64. Numbers that two or three parts cannot represent stay float32.
// See split_layout.h.
void pack_split_panel(const float* rows, long K, int parts, void* out);

}  // namespace cppgen::rt
