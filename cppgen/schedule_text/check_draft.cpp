#include "cppgen/schedule_text/check_draft.h"

#include <algorithm>

#include "cppgen/schedule/verify.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule_text {

using namespace cppgen::schedule;

namespace {

bool is_load(Expr e) { return e && e->kind == ir::ExprKind::load; }

template <class... Args>
void require(bool ok, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) user_error("{}", fmt::format(format, std::forward<Args>(args)...));
}

// Returns the position among the kernel passes; their number if it is none.
size_t number_of(std::string_view pass) {
  const auto passes = kernel_passes();
  const auto is = [&](const Pass& p) { return p.name == pass; };
  return size_t(std::find_if(passes.begin(), passes.end(), is) - passes.begin());
}

// Returns how many of the kernel passes have run or were left out.
size_t passes_run(const DraftState& draft) { return draft.after.empty() ? 0 : number_of(draft.after) + 1; }

class DraftCheck {
 public:
  explicit DraftCheck(const DraftState& draft) : draft_(draft), program_(draft.schedule.program) {}

  void run() const {
    for (const FoundAttention& found : draft_.attentions) check_attention(found);
    for (size_t i = 0; i < draft_.engines.size(); i++)
      require(!draft_.engines[i].engine || is_contraction(i), "the statement {} has an engine but is no contraction",
              i);
    for (size_t i = 0; i < draft_.contractions.size(); i++) check_contraction(i);
    std::vector<bool> grouped(program_.statements.size(), false);
    for (const Group& group : draft_.groups) check_group(group, grouped);
    const bool all = std::all_of(grouped.begin(), grouped.end(), [](bool is) { return is; });
    require(all || !has_run(draft_, "group_statements") || has_run(draft_, "make_steps"),
            "not every statement is in a group");
    check_steps(draft_.schedule.steps);
  }

 private:
  const DraftState& draft_;
  const Program& program_;

  const LoopNest* nest(size_t i) const { return std::get_if<LoopNest>(&program_.statements[i]); }
  bool is_contraction(size_t i) const { return nest(i) && nest(i)->is_contraction(); }

  void check_attention(const FoundAttention& found) const {
    const Attention& a = found.attention;
    const bool chosen = has_run(draft_, "choose_engines");
    require(found.engine || !chosen, "an attention has no engine, but choose_engines has run");
    require(!found.engine || chosen, "an attention has an engine, but choose_engines has not run");
    require(is_load(a.query) && is_load(a.key) && is_load(a.value), "an operand of an attention is no load");
    require(!found.stores.empty() && !found.inside.empty(), "an attention stores nothing, or keeps nothing inside");
  }

  void check_contraction(size_t i) const {
    const auto* tiles = std::get_if<TileContraction>(&draft_.contractions[i]);
    if (!tiles) return;
    require(nest(i) && !nest(i)->reductions.empty(), "the statement {} runs on tiles but is no contraction", i);
    require(is_load(tiles->left) && (!tiles->right || is_load(tiles->right)) &&
                (!tiles->left_scales || is_load(tiles->left_scales)),
            "an operand of the contraction {} is no load", i);
    require(tiles->shape.mr > 0 && tiles->shape.nr > 0, "the contraction {} has no tiles", i);
  }

  void check_group(const Group& group, std::vector<bool>& grouped) const {
    require(!group.statements.empty() && std::is_sorted(group.statements.begin(), group.statements.end()),
            "a group has no statements, or not in their order");
    for (const int s : group.statements) {
      require(s >= 0 && size_t(s) < grouped.size() && !grouped[size_t(s)], "the statement {} is not in one group", s);
      require(group.statements.size() == 1 || nest(size_t(s)), "the statement {} needs a group of its own", s);
      grouped[size_t(s)] = true;
    }
    require(group.attention >= -1 && group.attention < int(draft_.attentions.size()), "there is no attention {}",
            group.attention);
    require(group.attention >= 0 || group.segments.size() == group.statements.size(),
            "a group of {} statements has {} segments", group.statements.size(), group.segments.size());
  }

  static void check_steps(const std::vector<ScheduledStep>& steps) {
    for (const ScheduledStep& step : steps) {
      const auto* repeated = std::get_if<RepeatedSteps>(&step);
      if (!repeated) continue;
      const ir::IndexNode* node = repeated->step.node();
      require(node && node->op == ir::IndexOp::variable && node->kind == ir::VarKind::symbol,
              "the step of a repetition is no symbol");
      check_steps(repeated->body);
    }
  }
};

}  // namespace

bool has_run(const DraftState& draft, std::string_view pass) { return number_of(pass) < passes_run(draft); }

bool can_follow(const DraftState& draft, std::string_view pass) {
  const size_t run = passes_run(draft), number = number_of(pass);
  return number < kernel_passes().size() ? number >= run : run == 0;
}

void check_order(const DraftState& draft, const Pass& pass) {
  const size_t run = passes_run(draft), number = number_of(pass.name);
  require(can_follow(draft, pass.name), "{} cannot run after {}", pass.name, draft.after);
  for (size_t i = run; number < kernel_passes().size() && i < number; i++)
    require(!kernel_passes()[i].needed, "{} cannot run before {}", pass.name, kernel_passes()[i].name);
}

void check_draft(const DraftState& draft) {
  const Schedule& schedule = draft.schedule;
  verify_program(schedule);
  if (has_run(draft, "plan_layouts")) verify_storage(schedule);
  DraftCheck(draft).run();
  if (has_run(draft, "make_steps")) verify(schedule);
}

}  // namespace cppgen::schedule_text
