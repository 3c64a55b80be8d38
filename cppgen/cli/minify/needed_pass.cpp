// The part of Minifier that finds the pass on which a fault depends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/cli/minify/minifier.h"
#include "cppgen/flow/compile/disabled_passes.h"
#include "cppgen/support/shrink.h"

namespace cppgen {

std::vector<std::string> Minifier::passes() const {
  std::vector<std::string> passes = optional_passes();
  const std::vector<std::string>& disabled = settings_.disable_passes;
  std::erase_if(passes,
                [&](const auto& p) { return std::find(disabled.begin(), disabled.end(), p) != disabled.end(); });
  return passes;
}

Overrides Minifier::without_passes(const std::vector<std::string>& passes) const {
  std::vector<std::string> names = settings_.disable_passes;
  names.insert(names.end(), passes.begin(), passes.end());
  Overrides overrides = quick_;
  overrides.emplace_back("DISABLE_PASSES", fmt::format("{}", fmt::join(names, ",")));
  return overrides;
}

bool Minifier::shows_without(const std::vector<std::string>& passes) {
  return is_same(try_cut(best_, without_passes(passes)));
}

std::optional<std::string> Minifier::first_needed_pass(double until) {
  const std::vector<std::string> all = passes();
  const auto shows_with = [&](size_t number) {
    return shows_without({all.begin() + std::ptrdiff_t(number), all.end()});
  };
  undecided_ = false;
  const auto number = fewest_first(all.size(), shows_with, [&] { return seconds() < until; });
  if (!number || undecided_) return std::nullopt;
  return *number == 0 ? "" : all[*number - 1];
}

// Fewer passes make all later trials simpler, and most of them faster. A fault that needs several passes keeps those up
// to the last one that it needs.
void Minifier::disable_passes() {
  if (outcome_.fault == Fault::slow) return;  // times vary too much
  first_pass_ = first_needed_pass(seconds() + (options_.seconds - seconds()) / 4);
  if (!first_pass_) return;
  std::vector<std::string> others = passes();
  const auto at = std::find(others.begin(), others.end(), *first_pass_);
  if (at != others.end()) {
    const std::vector<std::string> later(at + 1, others.end());
    others.erase(at);
    if (!shows_without(others)) others = later;
  }
  quick_ = without_passes(others);
  say(first_pass_->empty() ? "the fault needs no optional pass: all are disabled for now"
                           : "the fault needs the pass " + *first_pass_ + ": others are disabled for now");
}

NeededPass Minifier::find_pass() {
  if (outcome_.fault == Fault::slow) return {};
  if (!first_pass_) first_pass_ = first_needed_pass(options_.seconds);
  if (!first_pass_) return {};
  undecided_ = false;
  const bool alone = !first_pass_->empty() && !shows_without({*first_pass_});
  return undecided_ ? NeededPass{} : NeededPass{*first_pass_, alone, true};
}

}  // namespace cppgen
