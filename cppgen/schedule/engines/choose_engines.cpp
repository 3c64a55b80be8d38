#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

std::vector<const Engine*> in_preference(const std::vector<std::string>& backends) {
  std::vector<const Engine*> order;
  for (const auto& backend : backends)
    for (const Engine& e : engine_list())
      if (e.backend == backend) order.push_back(&e);
  for (const Engine& e : engine_list())
    if (e.backend.empty()) order.push_back(&e);
  return order;
}

bool is_convolution(const Contraction& contraction, const Options& options) {
  const auto& view = contraction.view;
  return view && (has_windows(*view) || (has_single_tap(*view) && !options.conv_1x1_as_mm));
}

// The statements of a program with contractions in their engines' forms.
class Preparation {
 public:
  Preparation(Schedule& schedule, const Options& options, const Target& target)
      : schedule_(schedule), options_(options), target_(target) {}

  void append(ir::Statement statement, ContractionStep step = {}) {
    schedule_.program.statements.push_back(std::move(statement));
    steps_.push_back(std::move(step));
  }

  void prepare(LoopNest nest, const Engine& engine) {
    Prepared prepared = engine.prepare(schedule_.program, schedule_.layouts, std::move(nest), options_, target_);
    for (OperandCopy& copy : prepared.copies) {
      schedule_.log.copies.push_back({copy.nest.stores[0].buffer, std::move(copy.kind), std::move(copy.reason)});
      append(std::move(copy.nest));
    }
    for (PackedConstant& packed : prepared.packed) schedule_.packed.push_back(std::move(packed));
    if (auto* tiles = std::get_if<TileContraction>(&prepared.step)) tiles->engine = engine.name;
    if (auto* call = std::get_if<LibraryStep>(&prepared.step)) call->engine = engine.name;
    append(std::move(prepared.nest), std::move(prepared.step));
    if (prepared.epilogue) append(std::move(*prepared.epilogue));
  }

  std::vector<ContractionStep> take() { return std::move(steps_); }

 private:
  Schedule& schedule_;
  const Options& options_;
  const Target& target_;
  std::vector<ContractionStep> steps_;
};

ChosenEngine chosen(const Contraction& contraction, std::string engine) {
  const LoopNest& nest = contraction.nest;
  ChosenEngine it;
  it.origins = nest.origins, it.engine = std::move(engine);
  it.result = name_of(nest.reductions[0].type);
  if (contraction.view) {
    it.left = name_of(contraction.buffer(contraction.view->left).type);
    it.right = name_of(contraction.buffer(contraction.view->right).type);
  }
  for (size_t i = 0; i < nest.roles.size(); i++) {
    const ir::Loop& loop = i < nest.loops.size() ? nest.loops[i] : nest.reduced[i - nest.loops.size()];
    IndexExpr* const extent = nest.roles[i] == ir::AxisRole::batch     ? &it.batch
                              : nest.roles[i] == ir::AxisRole::rows    ? &it.rows
                              : nest.roles[i] == ir::AxisRole::columns ? &it.columns
                                                                       : &it.depth;
    *extent = *extent * loop.extent;
  }
  return it;
}

}  // namespace

void choose_engines(Draft& draft) {
  const Program& program = draft.program();
  const auto engines = in_preference(draft.options.max_autotune_gemm_backends);
  const auto engines_of_convolutions = in_preference(draft.options.max_autotune_conv_backends);
  std::vector<bool> in_attention(program.statements.size(), false);
  for (const auto& statements : statements_of(program, draft.attentions))
    for (int i : statements) in_attention[size_t(i)] = true;
  draft.engines.assign(program.statements.size(), nullptr);
  for (size_t i = 0; i < program.statements.size(); i++) {
    const LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !nest->is_contraction()) continue;
    const Contraction contraction(program, draft.layouts(), *nest);
    if (in_attention[i]) {
      draft.schedule.engines.push_back(chosen(contraction, "attention"));
      continue;
    }
    for (const Engine* e : is_convolution(contraction, draft.options) ? engines_of_convolutions : engines) {
      auto decision = e->supports(contraction, draft.options, draft.target);
      draft.log().add("engine", describe(program.statements[i]) + " on " + e->name, decision);
      if (!decision) continue;
      draft.engines[i] = e;
      draft.schedule.engines.push_back(chosen(contraction, e->name));
      break;
    }
  }
}

void prepare_contractions(Draft& draft) {
  auto old = std::move(draft.program().statements);
  draft.program().statements.clear();
  Preparation preparation(draft.schedule, draft.options, draft.target);
  for (size_t i = 0; i < old.size(); i++) {
    LoopNest* nest = as_nest(old[i]);
    if (nest && draft.engines[i]) {
      preparation.prepare(std::move(*nest), *draft.engines[i]);
      continue;
    }
    if (nest) nest->roles.clear();
    preparation.append(std::move(old[i]));
  }
  draft.contractions = preparation.take();
}

}  // namespace cppgen::schedule
