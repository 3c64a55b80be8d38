#pragma once

namespace cppgen::rt {

// Wide tiles of bytes prefetch another panel than their own: so many of them fetch a whole one.
constexpr int kTilesAhead = 8;

// Tiles of float32 and matrix tiles prefetch the next panel, whose lines the tiles of a unit share.
constexpr int kLineBytes = 64;

// The unit of the bytes that tiles of float32 prefetch with each step of K.
constexpr int kAheadStep = 4;

}  // namespace cppgen::rt
