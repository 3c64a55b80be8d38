#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

using NamedSizes = std::map<std::string, int64_t>;

struct SampleSizes {
  NamedSizes sizes;  // of every symbol
  bool fit = true;   // all plans can run with them
};

// Small sizes first, and those of images: for estimates that no run follows.
inline constexpr int64_t kSmallSizesFirst[] = {1, 2, 8, 16, 32, 64, 128, 224, 256, 512, 1024};

// Sizes for the symbols of plans, in which equal names are one symbol, so that all bounds hold and no tensor or buffer
// has a negative size. Symbols in `given` keep these sizes. The others get the first size in `preferred` that they can
// all have, or one before it where that fits, too; if there is none, sizes up to 1024 and those preferred are searched
// for, symbol by symbol, in pairs and from several starts, always with the same result. `fit` is false if nothing was
// found. Symbols that only a run knows (IndexArena::fresh_symbol) are 1 if they can be.
SampleSizes sample_sizes(std::span<const Plan* const> plans, const NamedSizes& given,
                         std::span<const int64_t> preferred);

// " (for example --dim N=8 --dim M=3)" for the symbols of the plan that are not in `given`, for messages; "" if the
// plan has no bounds, or no sizes fit.
std::string suggested_sizes(const Plan&, const NamedSizes& given);

}  // namespace cppgen::rt
