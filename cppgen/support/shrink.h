#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace cppgen {

// Delta debugging (A. Zeller, R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 2002), for
// items in an order in which neighbours belong together.

using ShowsFault = std::function<bool(const std::vector<size_t>& items)>;

// Keeps half of the items as long as one of three windows, the first, the last or the middle half, shows the fault:
// every fault that a quarter of the items shows is in one of them. `items` show the fault, and so does the result.
std::vector<size_t> halve(std::vector<size_t> items, const ShowsFault&);

// Removes windows of items, from a quarter of them to single ones, until no item can be removed alone. The last item is
// kept.
std::vector<size_t> remove_windows(std::vector<size_t> items, const ShowsFault&);

// The least number of items, from the first one on, that show the fault, by bisection; all `count` of them show it.
// nullopt if there is no time to find it.
std::optional<size_t> fewest_first(size_t count, const std::function<bool(size_t number)>& shows,
                                   const std::function<bool()>& in_time);

}  // namespace cppgen
