#pragma once

namespace cppgen::rt {

// Wide tiles of bytes prefetch another panel than their own: so many of them fetch a whole one.
constexpr int kTilesAhead = 8;

// Matrix tiles prefetch the next panel, whose lines the tiles of a unit share.
constexpr int kLineBytes = 64;

}  // namespace cppgen::rt
