#pragma once

namespace cppgen::rt {

// Wide tiles of bytes prefetch another panel than their own: so many of them fetch a whole one.
constexpr int kTilesAhead = 8;

}  // namespace cppgen::rt
