#include "cppgen/support/shrink.h"

#include <algorithm>
#include <iterator>

namespace cppgen {
namespace {

using Items = std::vector<size_t>;

Items window_of(const Items& items, size_t begin, size_t size) {
  const auto first = items.begin() + std::ptrdiff_t(begin);
  return {first, first + std::ptrdiff_t(size)};
}

Items without(const Items& items, size_t begin, size_t end) {
  Items rest = window_of(items, 0, begin);
  std::copy(items.begin() + std::ptrdiff_t(end), items.end(), std::back_inserter(rest));
  return rest;
}

// Tries each window of this size once, the last one first: what only later items read goes with them.
bool remove_each(Items& items, size_t size, const ShowsFault& shows) {
  bool removed = false;
  for (size_t end = items.size(); end > 0;) {
    const size_t begin = end > size ? end - size : 0;
    Items rest = without(items, begin, end);
    if (!rest.empty() && shows(rest)) {
      items = std::move(rest);
      removed = true;
    }
    end = begin;
  }
  return removed;
}

}  // namespace

std::vector<size_t> halve(std::vector<size_t> items, const ShowsFault& shows) {
  for (bool smaller = true; smaller && items.size() > 1;) {
    const size_t half = (items.size() + 1) / 2, rest = items.size() - half;
    smaller = false;
    std::vector<size_t> begins{0, rest};
    if (rest > 1) begins.push_back(rest / 2);
    for (size_t begin : begins) {
      Items window = window_of(items, begin, half);
      if (!shows(window)) continue;
      items = std::move(window);
      smaller = true;
      break;
    }
  }
  return items;
}

std::vector<size_t> remove_windows(std::vector<size_t> items, const ShowsFault& shows) {
  for (size_t size = std::max<size_t>(items.size() / 4, 1);;) {
    const bool removed = remove_each(items, size, shows);
    if (size == 1 && !removed) return items;
    size = std::max<size_t>(size / 2, 1);
  }
}

std::optional<size_t> fewest_first(size_t count, const std::function<bool(size_t number)>& shows,
                                   const std::function<bool()>& in_time) {
  if (count == 0 || shows(0)) return 0;
  size_t too_few = 0, enough = count;
  while (enough - too_few > 1) {
    if (!in_time()) return std::nullopt;
    const size_t middle = (too_few + enough) / 2;
    (shows(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace cppgen
