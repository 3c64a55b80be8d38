#include <fmt/format.h>

#include "cppgen/ir/text/program_text.h"
#include "cppgen/schedule_text/field_printer.h"
#include "cppgen/schedule_text/fields.h"
#include "cppgen/schedule_text/schedule_text.h"

namespace cppgen::schedule_text {

bool is_only_program(const schedule::DraftState& draft) {
  return draft.after.empty() && draft.inside_attentions.empty();
}

std::string to_text(const TargetedDraft& it, size_t most_bytes) {
  if (is_only_program(it.draft)) return ir::program_text(it.draft.schedule.program, most_bytes);
  TargetedDraft copy = it;  // visitors may change what they visit
  FieldPrinter::PlanText plan;
  if (it.plans) plan = [&](const FusedKernel& kernel) { return it.plans({it.draft.schedule, kernel, it.target}); };
  FieldPrinter printer(plan);
  printer.record("target", copy.target);
  fields(printer, copy.draft);
  return fmt::format("schedule{}{}\n{}{}", it.draft.after.empty() ? "" : " after ", it.draft.after,
                     ir::program_text(it.draft.schedule.program, most_bytes), printer.lines());
}

std::string shown_text(const schedule::Draft& draft) {
  constexpr size_t kShownBytes = 1024;
  return to_text({draft.target, draft}, kShownBytes);
}

}  // namespace cppgen::schedule_text
