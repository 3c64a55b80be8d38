#pragma once
#include <limits>
#include <string>
#include <string_view>

#include "cppgen/schedule/draft.h"

// Schedules as text (docs/ir.md), from the first pass behind the program on.
namespace cppgen::schedule_text {

// A schedule in the making, and the target that it is for.
struct TargetedDraft {
  schedule::Target target;
  schedule::DraftState draft;
  bool plans = false;  // its text has the plans of its kernels
};

// Whether it has nothing but a program, whose text is that of programs; decisions about the program do not count.
bool is_only_program(const schedule::DraftState&);

// The text, which is read back. Constants of more than `most_bytes` are `elided`, so that a text with such constants is
// only for people.
std::string to_text(const TargetedDraft&, size_t most_bytes = std::numeric_limits<size_t>::max());

// A text for people, after a pass.
std::string shown_text(const schedule::Target&, const schedule::DraftState&);

// Whether the text begins like that of a schedule.
bool is_schedule(std::string_view text, const std::string& file);

// The schedule of a text, verified. `file` begins messages. UserError with file, line and column for what is none: the
// text may come from anywhere; and for the plan of a kernel that is another one.
TargetedDraft read_schedule(std::string_view text, const std::string& file);

}  // namespace cppgen::schedule_text
