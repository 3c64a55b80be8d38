#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/schedule_text/check_draft.h"
#include "cppgen/schedule_text/field_reader.h"
#include "cppgen/schedule_text/fields.h"
#include "cppgen/schedule_text/schedule_text.h"

namespace cppgen::schedule_text {
namespace {

using text::Reader;

// `after PASS`, the last kernel pass that ran, or nothing.
std::string read_after(Reader& reader) {
  if (!reader.accept_word("after")) return "";
  std::vector<std::string> names;
  for (const Pass& pass : kernel_passes()) names.push_back(pass.name);
  if (std::find(names.begin(), names.end(), reader.peek().text) == names.end())
    reader.expected(fmt::format("one of {}", fmt::join(names, ", ")));
  return reader.take().text;
}

// Lists by buffer and by statement, whose usual elements a text leaves out.
void fill_lists(schedule::DraftState& draft) {
  const Program& program = draft.schedule.program;
  if (has_run(draft, "plan_layouts"))
    for (const ir::Buffer& b : program.buffers) draft.schedule.layouts.push_back(row_major(b.shape.size()));
  const bool prepared = has_run(draft, "prepare_contractions"), made = has_run(draft, "make_steps");
  if (has_run(draft, "choose_engines") && !prepared) draft.engines.resize(program.statements.size());
  if (prepared && !made) draft.contractions.resize(program.statements.size());
}

bool same(const text::Token& a, const text::Token& b) {
  return a.kind == b.kind && a.text == b.text && a.number == b.number;
}

void check_plan(const Reader& reader, const std::vector<text::Token>& tokens, const kernel::KernelView& view,
                const PlanText& plan_text) {
  const std::string text = plan_text(view);
  text::Lexer lexer(text, "plan");
  for (const text::Token& token : tokens) {
    const text::Token right = lexer.next();
    if (!same(token, right))
      reader.fail_at(token.place, fmt::format("the plan of {} has '{}' here", view.kernel.name, right.text));
  }
}

void check_plans(const Reader& reader, const std::vector<FieldReader::PlanTokens>& plans, const TargetedDraft& it,
                 const PlanText& plan_text) {
  std::vector<const FusedKernel*> kernels;
  each_kernel(it.draft.schedule.steps, [&](const FusedKernel& kernel) { kernels.push_back(&kernel); });
  for (const FieldReader::PlanTokens& plan : plans)
    check_plan(reader, plan.tokens, {it.draft.schedule, *kernels[plan.kernel], it.target}, plan_text);
}

}  // namespace

bool is_schedule(std::string_view text, const std::string& file) {
  return text::Lexer(text, file).next().text == "schedule";
}

TargetedDraft read_schedule(std::string_view text, const std::string& file, const PlanText& plan_text) {
  TargetedDraft it;
  Reader reader(text, file);
  const text::Place begin = reader.peek().place;
  reader.expect_word("schedule");
  it.draft.after = read_after(reader);
  text::ProgramReader program(reader, it.draft.schedule.program);
  program.read();
  program.no_more_symbols();
  FieldReader field_reader(reader, program);
  field_reader.record("target", it.target);
  fill_lists(it.draft);
  field_reader.all(it.draft);
  program.end();
  reader.at_place(begin, [&] { check_draft(it.draft); });
  check_plans(reader, field_reader.plans(), it, plan_text);
  if (!field_reader.plans().empty()) it.plans = plan_text;
  return it;
}

}  // namespace cppgen::schedule_text
