#pragma once
#include <string>
#include <vector>

namespace cppgen::schedule {

// The outcome of one rule: it applies, or there is a reason why not.
struct FusionDecision {
  bool fused = false;
  std::string reason;

  static FusionDecision yes(std::string reason = {}) { return {true, std::move(reason)}; }
  static FusionDecision no(std::string reason) { return {false, std::move(reason)}; }
  explicit operator bool() const { return fused; }
};

// All decisions of a schedule in the order in which they were made. `explain` prints them.
struct DecisionLog {
  struct Entry {
    std::string rule;     // "inline", "epilogue", "group", "layout", "engine", "prologue", "split", "in-place"
    std::string subject;  // the subject of the decision: producer -> consumer
    FusionDecision decision;
  };
  std::vector<Entry> entries;

  // The schedule added this buffer, which holds what another one holds in a different place or order.
  struct Copy {
    int buffer;          // BufferId
    std::string kind;    // "layout", "padding", "packing"
    std::string reason;  // why it cannot be read in place
  };
  std::vector<Copy> copies;

  const FusionDecision& add(std::string rule, std::string subject, FusionDecision decision) {
    entries.push_back({std::move(rule), std::move(subject), std::move(decision)});
    return entries.back().decision;
  }
};

}  // namespace cppgen::schedule
