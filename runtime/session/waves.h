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
// `most` steps a wave, the earliest of the plan first; with 1, the plan's order.
std::vector<Wave> plan_waves(const Plan&, int64_t most);

// The plan's buffers with their lifetimes counted in waves.
std::vector<PlanBuffer> lifetimes_in_waves(const Plan&, std::span<const Wave>);

}  // namespace cppgen::rt
