#include "runtime/session/waves.h"

#include <algorithm>

#include "runtime/memory/planner.h"

namespace cppgen::rt {
namespace {

// The earlier steps that each step waits for.
class Dependencies {
 public:
  explicit Dependencies(const Plan& plan) : plan_(plan), touched_(plan.buffers.size()), before_(plan.steps.size()) {
    for (size_t s = 0; s < plan.steps.size(); s++) {
      const Step& step = plan.steps[s];
      stay_in_repetition(s);
      const size_t first_output = step.buffers.size() - size_t(step.output_count);
      std::vector<Touch> touches;
      for (size_t i = 0; i < step.buffers.size(); i++) {
        const int32_t b = step.buffers[i];
        const auto& back = step.reads_back;
        touches.push_back({s, b, i < first_output || std::count(back.begin(), back.end(), b) > 0, i >= first_output});
      }
      for (const Touch& touch : touches) wait(touch);
      for (const Touch& touch : touches) touched_[root(touch.buffer)].push_back(touch);
    }
  }
  const std::vector<size_t>& of(size_t step) const { return before_[step]; }

 private:
  struct Touch {
    size_t step;
    int32_t buffer;
    bool reads, writes;
  };

  size_t root(int32_t buffer) const { return sharing_root(plan_.buffers, size_t(buffer)); }

  // The steps of a repetition run separately: after those before it and before those after it.
  void stay_in_repetition(size_t step) {
    const int32_t own = repetition_of(plan_, step);
    for (size_t s = 0; s < step && !plan_.repetitions.empty(); s++)
      if (const int32_t other = repetition_of(plan_, s); other != own) before_[step].push_back(s);
  }

  void wait(const Touch& touch) {
    for (const Touch& earlier : touched_[root(touch.buffer)]) {
      const bool parts_of_one = !touch.reads && !earlier.reads && earlier.buffer == touch.buffer;
      if ((touch.writes || earlier.writes) && !parts_of_one) before_[touch.step].push_back(earlier.step);
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

bool writes_temporary(const Plan& plan, size_t step) {
  const auto& buffers = plan.steps[step].buffers;
  return std::any_of(buffers.end() - plan.steps[step].output_count, buffers.end(), [&](int32_t b) {
    return plan.buffers[sharing_root(plan.buffers, size_t(b))].kind == PlanBufferKind::temporary;
  });
}

// Counts the steps of a wave that write temporaries, of which it takes up to `most`; 0: any number.
class ArenaLimit {
 public:
  ArenaLimit(const Plan& plan, int64_t most) : plan_(plan), most_(most) {}
  void start_wave() { count_ = 0; }
  bool take(size_t step) {
    if (most_ == 0 || !writes_temporary(plan_, step)) return true;
    if (count_ == most_) return false;
    count_++;
    return true;
  }

 private:
  const Plan& plan_;
  const int64_t most_;
  int64_t count_ = 0;
};

}  // namespace

std::vector<Wave> plan_waves(const Plan& plan, int64_t most, std::span<const int32_t> together, int64_t most_in_arena) {
  const Dependencies dependencies(plan);
  ArenaLimit arena_limit(plan, most_in_arena);
  std::vector<bool> done(plan.steps.size(), false);
  std::vector<Wave> waves;
  for (size_t first = 0; first < plan.steps.size();) {
    Wave wave;
    arena_limit.start_wave();
    for (size_t s = first; s < plan.steps.size(); s++) {
      if (done[s] || (int64_t(wave.size()) >= most && !goes_with(wave, s, together))) continue;
      const auto& before = dependencies.of(s);
      const bool ready = std::all_of(before.begin(), before.end(), [&](size_t b) { return bool(done[b]); });
      if (ready && arena_limit.take(s)) wave.push_back(s);
    }
    for (size_t s : wave) done[s] = true;
    while (first < done.size() && done[first]) first++;
    waves.push_back(std::move(wave));
  }
  return waves;
}

namespace {

class Lifetimes {
 public:
  explicit Lifetimes(const Plan& plan) : plan_(plan), buffers_(plan.buffers), seen_(buffers_.size(), false) {}

  std::vector<PlanBuffer> run(std::span<const Wave> waves) {
    for (size_t w = 0; w < waves.size(); w++)
      for (size_t s : waves[w]) note_step(s, w);
    // An iteration may read what the previous one stored, so all buffers of a repetition live as long as the whole.
    for (size_t w = 0; w < waves.size(); w++)
      if (const int32_t r = repetition_of(plan_, waves[w][0]); r >= 0) {
        const Repetition& repetition = plan_.repetitions[size_t(r)];
        for (const CarriedBuffers& c : repetition.carried)
          for (int32_t b : {c.initial, c.before, c.after}) note(b, w);
        for (int32_t s = repetition.first_step; s <= repetition.last_step; s++) note_step(size_t(s), w);
      }
    return std::move(buffers_);
  }

 private:
  const Plan& plan_;
  std::vector<PlanBuffer> buffers_;
  std::vector<bool> seen_;

  void note_step(size_t s, size_t wave) {
    for (int32_t b : plan_.steps[s].buffers) note(b, wave);
  }

  void note(int32_t b, size_t wave) {
    PlanBuffer& buffer = buffers_[size_t(b)];
    buffer.first_step = seen_[size_t(b)] ? std::min(buffer.first_step, int32_t(wave)) : int32_t(wave);
    buffer.last_step = seen_[size_t(b)] ? std::max(buffer.last_step, int32_t(wave)) : int32_t(wave);
    seen_[size_t(b)] = true;
  }
};

}  // namespace

std::vector<PlanBuffer> lifetimes_in_waves(const Plan& plan, std::span<const Wave> waves) {
  return Lifetimes(plan).run(waves);
}

}  // namespace cppgen::rt
