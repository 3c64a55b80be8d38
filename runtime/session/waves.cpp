#include "runtime/session/waves.h"

#include <algorithm>

#include "runtime/memory/planner.h"

namespace cppgen::rt {
namespace {

// Which earlier steps each step waits for.
class Dependencies {
 public:
  explicit Dependencies(const Plan& plan) : plan_(plan), touched_(plan.buffers.size()), before_(plan.steps.size()) {
    for (size_t s = 0; s < plan.steps.size(); s++) {
      const Step& step = plan.steps[s];
      const size_t first_output = step.buffers.size() - size_t(step.output_count);
      for (size_t i = 0; i < step.buffers.size(); i++) wait(s, step.buffers[i], i >= first_output);
      for (size_t i = 0; i < step.buffers.size(); i++)
        touched_[root(step.buffers[i])].push_back({s, step.buffers[i], i >= first_output});
    }
  }
  const std::vector<size_t>& of(size_t step) const { return before_[step]; }

 private:
  struct Touch {
    size_t step;
    int32_t buffer;
    bool writes;
  };

  size_t root(int32_t buffer) const { return sharing_root(plan_.buffers, size_t(buffer)); }

  void wait(size_t step, int32_t buffer, bool writes) {
    for (const Touch& earlier : touched_[root(buffer)]) {
      const bool parts_of_one = writes && earlier.writes && earlier.buffer == buffer;
      if ((writes || earlier.writes) && !parts_of_one) before_[step].push_back(earlier.step);
    }
  }

  const Plan& plan_;
  std::vector<std::vector<Touch>> touched_;  // by root
  std::vector<std::vector<size_t>> before_;
};

bool goes_with(const Wave& wave, size_t step, std::span<const int32_t> together) {
  return !together.empty() && together[step] != -1 &&
         std::any_of(wave.begin(), wave.end(), [&](size_t s) { return together[s] == together[step]; });
}

}  // namespace

std::vector<Wave> plan_waves(const Plan& plan, int64_t most, std::span<const int32_t> together) {
  const Dependencies dependencies(plan);
  std::vector<bool> done(plan.steps.size(), false);
  std::vector<Wave> waves;
  for (size_t first = 0; first < plan.steps.size();) {
    Wave wave;
    for (size_t s = first; s < plan.steps.size(); s++) {
      if (done[s] || (int64_t(wave.size()) >= most && !goes_with(wave, s, together))) continue;
      const auto& before = dependencies.of(s);
      if (std::all_of(before.begin(), before.end(), [&](size_t b) { return bool(done[b]); })) wave.push_back(s);
    }
    for (size_t s : wave) done[s] = true;
    while (first < done.size() && done[first]) first++;
    waves.push_back(std::move(wave));
  }
  return waves;
}

std::vector<PlanBuffer> lifetimes_in_waves(const Plan& plan, std::span<const Wave> waves) {
  std::vector<PlanBuffer> buffers = plan.buffers;
  std::vector<bool> seen(buffers.size(), false);
  for (size_t w = 0; w < waves.size(); w++)
    for (size_t s : waves[w])
      for (int32_t b : plan.steps[s].buffers) {
        PlanBuffer& buffer = buffers[size_t(b)];
        if (!seen[size_t(b)]) buffer.first_step = int32_t(w);
        buffer.last_step = int32_t(w);
        seen[size_t(b)] = true;
      }
  return buffers;
}

}  // namespace cppgen::rt
