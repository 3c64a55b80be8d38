#pragma once
#include <string_view>

#include "cppgen/schedule/pipeline.h"

namespace cppgen::schedule_text {

// Returns whether this kernel pass (passes.def), or a later one, has run.
bool has_run(const schedule::DraftState&, std::string_view pass);
// Returns whether it has not run yet: it comes after the last one that has. Passes over programs come before all of
// these.
bool can_follow(const schedule::DraftState&, std::string_view pass);
// UserError unless `pass` can run next, because the last pass that ran precedes it, without a needed one between them.
void check_order(const schedule::DraftState&, const schedule::Pass&);

// UserError for what no pass can have made: what the verifiers of programs and schedules find, and what is wrong with
// the findings of one pass for later ones.
void check_draft(const schedule::DraftState&);

}  // namespace cppgen::schedule_text
