#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// Steps of a plan that run concurrently, by position, ascending.
using Wave = std::vector<size_t>;

// Assigns each step to a wave after the waves of all steps that it must wait for: those that write what it reads, and
// those that access memory which it writes (several steps that only write parts of one buffer do not wait for each
// other). A wave has at most `most` steps, the earliest of the plan first, plus the steps that belong to one of them:
// those with the same number in `together`, which has one entry per step or is empty, unless it is -1. If `most` is 1
// and `together` is empty, waves are in the plan's order. All steps of a wave belong to one repetition, or run once. A
// wave has at most `most_in_arena` steps that write temporaries, unless that is 0.
std::vector<Wave> plan_waves(const Plan&, int64_t most, std::span<const int32_t> together = {},
                             int64_t most_in_arena = 0);

// The plan's buffers with their lifetimes in units of waves.
std::vector<PlanBuffer> lifetimes_in_waves(const Plan&, std::span<const Wave>);

}  // namespace cppgen::rt
