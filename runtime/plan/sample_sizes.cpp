#include "runtime/plan/sample_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "runtime/plan/size_conditions.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kMostSearched = 1024, kMostOfPairs = 128;
constexpr int kStarts = 24, kRounds = 40;

// The symbol is recognised by its name (IndexArena::fresh_symbol).
bool is_known_only_to_a_run(const std::string& symbol) { return symbol.find('#') != symbol.npos; }

class Search {
 public:
  Search(SizeConditions conditions, const NamedSizes& given, std::span<const int64_t> preferred)
      : conditions_(std::move(conditions)), preferred_(preferred.begin(), preferred.end()) {
    for (const std::string& name : conditions_.names) {
      const auto found = given.find(name);
      free_.push_back(found == given.end());
      sizes_.push_back(found == given.end() ? 1 : found->second);
    }
    candidates_ = preferred_;
    for (int64_t size = 1; size <= kMostSearched; size++) candidates_.push_back(size);
    candidates_.push_back(0);
  }

  SampleSizes run() {
    if (take_equal_sizes()) return prefer_earlier_sizes(), result(true);
    std::vector<int64_t> first = sizes_;  // the preferred one that violates the least
    std::mt19937_64 random(1);            // NOLINT: the same numbers each time
    for (int start = 0; start < kStarts; start++) {
      if (start > 0)
        for (size_t s = 0; s < sizes_.size(); s++)
          if (free_[s] && !is_known_only_to_a_run(conditions_.names[s]))
            sizes_[s] = preferred_[random() % preferred_.size()];
      if (improve()) return result(true);
    }
    sizes_ = std::move(first);
    return result(false);
  }

 private:
  const SizeConditions conditions_;
  std::vector<int64_t> preferred_, candidates_;
  std::vector<bool> free_;
  std::vector<int64_t> sizes_;
  std::set<size_t> active_;  // conditions that some sizes violated: the others are checked less often

  SampleSizes result(bool fit) const {
    SampleSizes sample{{}, fit};
    for (size_t s = 0; s < sizes_.size(); s++) sample.sizes[conditions_.names[s]] = sizes_[s];
    return sample;
  }

  double check_all() {
    double sum = 0;
    for (size_t i = 0; i < conditions_.all.size(); i++)
      if (const double far = violation(conditions_.all[i], sizes_); far > 0) sum += far, active_.insert(i);
    return sum;
  }

  bool take_equal_sizes() {
    std::vector<int64_t> best = sizes_;
    double least = -1;
    for (const int64_t size : preferred_) {
      for (size_t s = 0; s < sizes_.size(); s++)
        if (free_[s]) sizes_[s] = is_known_only_to_a_run(conditions_.names[s]) ? 1 : size;
      const double far = check_all();
      if (far == 0) return true;
      if (least < 0 || far < least) least = far, best = sizes_;
    }
    sizes_ = std::move(best);
    return false;
  }

  bool fits(size_t symbol) const {
    return std::all_of(conditions_.all.begin(), conditions_.all.end(), [&](const SizeCondition& condition) {
      const auto& of = condition.symbols;
      return std::find(of.begin(), of.end(), symbol) == of.end() || violation(condition, sizes_) == 0;
    });
  }

  // A batch need not be as large as an image.
  void prefer_earlier_sizes() {
    for (size_t s = 0; s < sizes_.size(); s++) {
      if (!free_[s] || is_known_only_to_a_run(conditions_.names[s])) continue;
      const int64_t taken = sizes_[s];
      for (const int64_t size : preferred_) {
        sizes_[s] = size;
        if (size == taken || fits(s)) break;
      }
    }
  }

  // The conditions among the active ones that depend on one of the symbols.
  std::vector<const SizeCondition*> depending_on(const std::vector<size_t>& symbols) const {
    std::vector<const SizeCondition*> found;
    for (const size_t i : active_) {
      const auto& of = conditions_.all[i].symbols;
      if (std::any_of(symbols.begin(), symbols.end(),
                      [&](size_t s) { return std::find(of.begin(), of.end(), s) != of.end(); }))
        found.push_back(&conditions_.all[i]);
    }
    return found;
  }

  double sum_of(const std::vector<const SizeCondition*>& conditions) const {
    double sum = 0;
    for (const SizeCondition* condition : conditions) sum += violation(*condition, sizes_);
    return sum;
  }

  // The symbols of violated conditions that may change.
  std::vector<size_t> movable() const {
    std::set<size_t> symbols;
    for (const size_t i : active_)
      if (violation(conditions_.all[i], sizes_) > 0)
        for (const size_t s : conditions_.all[i].symbols)
          if (free_[s]) symbols.insert(s);
    return {symbols.begin(), symbols.end()};
  }

  bool move_one() {
    bool moved = false;
    for (const size_t s : movable()) {
      const auto conditions = depending_on({s});
      int64_t best = sizes_[s];
      double least = sum_of(conditions);
      for (const int64_t size : candidates_) {
        sizes_[s] = size;
        if (const double far = sum_of(conditions); far < least) least = far, best = size, moved = true;
      }
      sizes_[s] = best;
    }
    return moved;
  }

  bool move_two() {
    const std::vector<size_t> symbols = movable();
    for (const size_t a : symbols)
      for (const size_t b : symbols) {
        if (b <= a) continue;
        const auto conditions = depending_on({a, b});
        const int64_t was_a = sizes_[a], was_b = sizes_[b];
        const double before = sum_of(conditions);
        for (sizes_[a] = 1; sizes_[a] <= kMostOfPairs; sizes_[a]++)
          for (sizes_[b] = 1; sizes_[b] <= kMostOfPairs; sizes_[b]++)
            if (sum_of(conditions) < before) return true;
        sizes_[a] = was_a, sizes_[b] = was_b;
      }
    return false;
  }

  bool improve() {
    for (int round = 0; round < kRounds; round++) {
      if (check_all() == 0) return true;
      if (!move_one() && !move_two()) return false;
    }
    return false;
  }
};

}  // namespace

SampleSizes sample_sizes(std::span<const Plan* const> plans, const NamedSizes& given,
                         std::span<const int64_t> preferred) {
  return Search(size_conditions(plans), given, preferred).run();
}

std::string suggested_sizes(const Plan& plan, const NamedSizes& given) {
  if (plan.bounds.empty()) return "";
  const Plan* const plans[] = {&plan};
  const SampleSizes sample = sample_sizes(plans, given, kSmallSizesFirst);
  std::string text;
  for (const Symbol& symbol : plan.symbols)
    if (sample.fit && !given.contains(symbol.name))
      text += fmt::format(" --dim {}={}", symbol.name, sample.sizes.at(symbol.name));
  return text.empty() ? "" : " (for example" + text + ")";
}

}  // namespace cppgen::rt
