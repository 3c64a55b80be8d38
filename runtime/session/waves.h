#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// Steps of a plan that run at the same time, by position, ascending.
using Wave = std::vector<size_t>;

// Every step in one wave, after the waves of all steps that it must wait for: those that write what it reads, and those
// that touch memory which it writes (several steps that write parts of one buffer do not wait for each other). At most
// `most` steps a wave, the earliest of the plan first, and what goes with one of them: steps whose number in
// `together`, one for each step or none, is the same and not -1. With 1 and without such, the plan's order. All steps
// of a wave are of one repetition or run once.
std::vector<Wave> plan_waves(const Plan&, int64_t most, std::span<const int32_t> together = {});

// The plan's buffers with their lifetimes counted in waves.
std::vector<PlanBuffer> lifetimes_in_waves(const Plan&, std::span<const Wave>);

}  // namespace cppgen::rt
