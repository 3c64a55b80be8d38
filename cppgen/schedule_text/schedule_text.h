#pragma once
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "cppgen/kernel/view.h"
#include "cppgen/schedule/draft.h"

// Schedules as text (docs/ir.md), from the first pass behind the program on.
namespace cppgen::schedule_text {

// The text of a kernel's plan (forms::plan_text).
using PlanText = std::function<std::string(const kernel::KernelView&)>;

// A schedule in the making, and the target that it is for.
struct TargetedDraft {
  schedule::Target target;
  schedule::DraftState draft;
  PlanText plans = {};  // null: its text has no plans
};

// Returns whether it has nothing but a program, whose text is that of programs; decisions about the program do not
// count.
bool is_only_program(const schedule::DraftState&);

// The text, which is read back. Constants of more than `most_bytes` are `elided`, so that a text with such constants is
// only for people.
std::string to_text(const TargetedDraft&, size_t most_bytes = std::numeric_limits<size_t>::max());

// A text for people, after a pass.
std::string shown_text(const schedule::Draft&);

// Returns whether the text begins like that of a schedule.
bool is_schedule(std::string_view text, const std::string& file);

// The schedule of a text, verified. `file` begins messages. UserError with file, line and column for what is none: the
// text may come from anywhere; and for the plan of a kernel that is another one than `plan_text` gives.
TargetedDraft read_schedule(std::string_view text, const std::string& file, const PlanText& plan_text);

}  // namespace cppgen::schedule_text
