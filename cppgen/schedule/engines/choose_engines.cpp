#include <fmt/format.h>

#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/engines/attention_engine.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/external_kernel.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

std::vector<const Engine*> in_preference(const std::string& first, const std::vector<std::string>& backends) {
  std::vector<const Engine*> order;
  for (const Engine& e : engine_list())
    if (!first.empty() && e.backend == first) order.push_back(&e);
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

Target with_tuning(Target target, const std::shared_ptr<const Tuning>& tuning) {
  if (tuning) target.tuning = *tuning;
  return target;
}

// The statements of a program with contractions in their engines' forms.
class Preparation {
 public:
  explicit Preparation(Draft& draft) : draft_(draft), schedule_(draft.schedule) {}

  void append(ir::Statement statement, ContractionStep step = {}) {
    schedule_.program.statements.push_back(std::move(statement));
    steps_.push_back(std::move(step));
  }

  void prepare(LoopNest nest, const Engine& engine, const std::string& site) {
    const Choice& choice = choice_for(draft_.options.choices.get(), site);
    const auto tuning = draft_.tuning(choice);
    const bool convolution = is_convolution(Contraction(schedule_.program, schedule_.layouts, nest), draft_.options);
    Prepared prepared = engine.prepare(schedule_.program, schedule_.layouts, std::move(nest), draft_.options,
                                       with_tuning(draft_.target, tuning));
    if (choice.separate_epilogue) separate_epilogue(prepared);
    for (OperandCopy& copy : prepared.copies) {
      schedule_.log.copies.push_back({copy.nest.stores[0].buffer, std::move(copy.kind), std::move(copy.reason)});
      if (auto* tiles = std::get_if<TileContraction>(&copy.step)) tiles->engine = engine.name;
      append(std::move(copy.nest), std::move(copy.step));
    }
    for (PackedConstant& packed : prepared.packed) schedule_.packed.push_back(std::move(packed));
    if (auto* tiles = std::get_if<TileContraction>(&prepared.step))
      tiles->engine = engine.name, tiles->site = site, tiles->tuning = tuning, tiles->convolution = convolution;
    if (auto* call = std::get_if<LibraryStep>(&prepared.step))
      call->engine = engine.name, call->site = site, call->convolution = convolution;
    append(std::move(prepared.nest), std::move(prepared.step));
    if (prepared.epilogue) append(std::move(*prepared.epilogue));
  }

  std::vector<ContractionStep> take() { return std::move(steps_); }

 private:
  Draft& draft_;
  Schedule& schedule_;
  std::vector<ContractionStep> steps_;

  // Tiles of float32 only; library functions always have separate epilogues.
  void separate_epilogue(Prepared& prepared) {
    const auto* tiles = std::get_if<TileContraction>(&prepared.step);
    if (!tiles || prepared.epilogue || prepared.nest.reductions[0].type != DType::f32) return;
    std::vector<ir::Loop> order = tiles->batch;
    order.insert(order.end(), tiles->rows.begin(), tiles->rows.end());
    order.push_back(tiles->columns);
    split_epilogue(schedule_.program, schedule_.layouts, order, prepared);
  }
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
                                                                       : &it.k;
    *extent = *extent * loop.extent;
  }
  return it;
}

class EngineSearch {
 public:
  EngineSearch(Draft& draft, const Contraction& contraction, Target target, std::string subject)
      : draft_(draft), contraction_(contraction), target_(std::move(target)), subject_(std::move(subject)) {}

  // The first that supports the contraction, or, instead of direct tiles, the fastest of those that replace them,
  // unless a tuning has chosen direct tiles.
  const Engine* find(const std::vector<const Engine*>& order, bool was_tuned) {
    const Engine* found = nullptr;
    for (const Engine* e : order) {
      if (found && !e->replacement) continue;
      const auto decision = e->supports(contraction_, draft_.options, target_);
      if (!found || !decision) log(*e, decision);
      if (!decision) continue;
      if (!found && (was_tuned || e->name != kDirectTiles)) return e;
      if (!found || replaces(*e)) found = e;
    }
    return found;
  }

 private:
  Draft& draft_;
  const Contraction& contraction_;
  const Target target_;
  const std::string subject_;
  double least_ = costs_of(target_).worthwhile;  // of the time of direct tiles

  void log(const Engine& e, const FusionDecision& decision) {
    draft_.log().add("engine", subject_ + " on " + e.name, decision);
  }

  bool replaces(const Engine& e) {
    const Replacement replacement = e.replacement(contraction_, draft_.options, target_);
    const bool faster = replacement.allowed && replacement.time < least_;
    const std::string time = fmt::format("predicted to take {:.2f} of the time of direct tiles", replacement.time);
    log(e, !replacement.allowed ? replacement.allowed : faster ? FusionDecision::yes(time) : FusionDecision::no(time));
    if (faster) least_ = replacement.time;
    return faster;
  }
};

EngineChoice choose_engine(Draft& draft, const Contraction& contraction, size_t statement) {
  const LoopNest* const nests[] = {&contraction.nest};
  std::string site;
  const Choice& choice = draft.choice(nests, site);
  const auto& backends = is_convolution(contraction, draft.options) ? draft.options.max_autotune_conv_backends
                                                                    : draft.options.max_autotune_gemm_backends;
  EngineSearch search(draft, contraction, with_tuning(draft.target, draft.tuning(choice)),
                      describe(draft.program().statements[statement]));
  const Engine* const engine = search.find(in_preference(choice.backend, backends), !choice.backend.empty());
  return engine ? EngineChoice{engine, std::move(site)} : EngineChoice{};
}

// The first engine that supports the attention; null if its statements run separately.
const AttentionEngine* choose_attention_engine(Draft& draft, const FoundAttention& found, int last_statement) {
  const std::string subject = "attention of " + describe(draft.program().statements[size_t(last_statement)]);
  for (const AttentionEngine& e : attention_engine_list()) {
    const auto decision = e.supports(draft.program(), draft.layouts(), found.attention, draft.options, draft.target);
    if (draft.log().add("engine", subject + " on " + e.name, decision)) return &e;
  }
  return nullptr;
}

// The engine of each statement's attention, if it has one. Only attentions with an engine remain.
std::vector<const AttentionEngine*> choose_attention_engines(Draft& draft) {
  std::vector<const AttentionEngine*> engines(draft.program().statements.size(), nullptr);
  std::erase_if(draft.attentions, [&](FoundAttention& found) {
    const std::vector<int> statements = statements_of(draft.program(), found);
    found.engine = choose_attention_engine(draft, found, statements.back());
    for (int i : statements) engines[size_t(i)] = found.engine;
    return !found.engine;
  });
  return engines;
}

}  // namespace

void choose_engines(Draft& draft) {
  const Program& program = draft.program();
  const std::vector<const AttentionEngine*> of_attention = choose_attention_engines(draft);
  draft.engines.assign(program.statements.size(), {});
  for (size_t i = 0; i < program.statements.size(); i++) {
    const LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !nest->is_contraction()) continue;
    const Contraction contraction(program, draft.layouts(), *nest);
    if (of_attention[i]) {
      draft.schedule.engines.push_back(chosen(contraction, of_attention[i]->name));
      continue;
    }
    draft.engines[i] = choose_engine(draft, contraction, i);
    if (const Engine* engine = draft.engines[i].engine)
      draft.schedule.engines.push_back(chosen(contraction, engine->name));
  }
}

void prepare_contractions(Draft& draft) {
  auto old = std::move(draft.program().statements);
  draft.program().statements.clear();
  Preparation preparation(draft);
  for (size_t i = 0; i < old.size(); i++) {
    LoopNest* nest = as_nest(old[i]);
    if (const auto& [engine, site] = draft.engines[i]; nest && engine) {
      preparation.prepare(std::move(*nest), *engine, site);
      continue;
    }
    if (nest) nest->roles.clear();
    preparation.append(std::move(old[i]));
  }
  draft.engines.clear();
  draft.contractions = preparation.take();
}

}  // namespace cppgen::schedule
