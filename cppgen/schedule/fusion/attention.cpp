#include "cppgen/schedule/fusion/attention.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/engines/attention_engine.h"
#include "cppgen/schedule/fusion/attention_match.h"
#include "cppgen/schedule/fusion/group_align.h"
#include "cppgen/schedule/kernels/kernels.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

bool moves(Expr value, const Loop& loop) {
  for (Expr e : ir::postorder({&value, 1})) {
    auto by = [&](IndexExpr i) { return ir::depends_on(i, loop.var.node()); };
    if (std::any_of(e->indices.begin(), e->indices.end(), by)) return true;
    for (const auto& g : e->guards)
      if (by(g.index) || by(g.lo) || by(g.hi)) return true;
  }
  return false;
}

Loop one_point(Program& program) { return {program.index->loop("i", 1), 1}; }

// The larger of two extents as far as known; symbols count as large.
bool is_larger(IndexExpr a, IndexExpr b) { return a.range().hi > b.range().hi; }

// The role of each loop of the second contraction: see Attention.
FusionDecision sort_loops(Program& program, const LoopNest& nest, Attention& a) {
  std::vector<Loop> rows, columns;
  for (const Loop& l : nest.loops) {
    bool scores = moves(a.query, l) || moves(a.key, l) || moves(a.score, l), value = moves(a.value, l);
    if (value && !scores)
      columns.push_back(l);
    else if (!value && !moves(a.key, l))
      rows.push_back(l);
    else
      a.batch.push_back(l);
  }
  if (columns.size() > 1) return FusionDecision::no("the columns of the values are not a single loop");
  a.columns = columns.empty() ? one_point(program) : columns[0];
  if (rows.empty()) rows.push_back(one_point(program));
  size_t lanes = rows.size() - 1;
  for (size_t i = rows.size(); i-- > 0;)
    if (is_larger(rows[i].extent, rows[lanes].extent)) lanes = i;
  a.rows = rows[lanes];
  rows.erase(rows.begin() + long(lanes));
  a.batch.insert(a.batch.end(), rows.begin(), rows.end());
  return FusionDecision::yes();
}

// A contraction as a candidate for the second one of an attention.
class Candidate {
 public:
  Candidate(Program& program, const Uses& uses, int position)
      : program_(program), uses_(uses), position_(position), nest_(plain_nest()) {}

  // Null with an empty reason if nothing suggests an attention.
  std::optional<FoundAttention> find(std::string& reason) {
    auto view = view_of(nest_);
    if (!view || nest_.reductions[0].type != DType::f32 || view->k.size() != 1 || nest_.stores.empty())
      return std::nullopt;
    const Loop& keys = view->k[0];
    if (keys.extent.is_constant(1)) return std::nullopt;
    for (bool left : {true, false}) {
      Expr weights = left ? view->left : view->right;
      auto softmax = match_softmax(program_, uses_, position_, weights, keys, reason);
      if (softmax) return describe(*softmax, left ? view->right : view->left, keys, reason);
    }
    return std::nullopt;
  }

 private:
  Program& program_;
  const Uses& uses_;
  int position_;
  LoopNest nest_;

  LoopNest plain_nest() { return without_trivial_loops(program_, *as_nest(program_.statements[size_t(position_)])); }

  std::optional<FoundAttention> describe(const SoftmaxOfProduct& softmax, Expr value, const Loop& keys,
                                         std::string& reason) {
    FoundAttention found;
    Attention& a = found.attention;
    a.query = softmax.query, a.key = softmax.key, a.value = value, a.score = softmax.score;
    a.keys = keys, a.head_size = softmax.head_size, a.divides = softmax.divides, a.zeros = softmax.zeros;
    if (auto sorted = sort_loops(program_, nest_, a); !sorted) return reason = sorted.reason, std::nullopt;
    found.stores = nest_.stores;
    for (int s : softmax.statements)
      for (const auto& store : as_nest(program_.statements[size_t(s)])->stores) found.inside.push_back(store.buffer);
    return found;
  }
};

// Its kernel does not round its weights, as one operator after the other would.
bool rounds_weights(const Program& program, const Options& options) {
  return options.emulate_precision_casts &&
         std::any_of(program.buffers.begin(), program.buffers.end(),
                     [](const ir::Buffer& b) { return ir::rounding_to(b.type).has_value(); });
}

// Calls f(position, attention, reason) for each contraction that may end one. No two attentions have a statement in
// common: the result of one can be the scores of the next only as an intermediate value.
template <class F>
void each_candidate(Program& program, const Options& options, const Tuning& tuning, F f) {
  Uses uses = collect_uses(program);
  std::set<int> taken;
  const bool rounds = rounds_weights(program, options);
  for (int i = 0; i < int(program.statements.size()); i++) {
    const LoopNest* nest = as_nest(program.statements[size_t(i)]);
    if (!nest || !nest->is_contraction()) continue;
    std::string reason;
    auto found = Candidate(program, uses, i).find(reason);
    if (found && rounds) {
      found.reset();
      reason = "its weights would not be rounded to a narrow type (EMULATE_PRECISION_CASTS=1)";
    }
    if (found && !options.online_softmax && !keys_are_one_block(found->attention, tuning)) {
      found.reset();
      reason = "its softmax would be computed in blocks of keys (ONLINE_SOFTMAX=0)";
    }
    if (found) {
      const std::vector<int> own = statements_of(program, *found);
      if (std::any_of(own.begin(), own.end(), [&](int s) { return taken.count(s) > 0; }))
        found.reset(), reason = "its scores are the result of another attention";
      else
        taken.insert(own.begin(), own.end());
    }
    if (found || !reason.empty()) f(i, std::move(found), reason);
  }
}

}  // namespace

void find_attentions(Draft& draft) {
  Program& program = draft.program();
  const auto note = [&](int position, std::optional<FoundAttention> found, const std::string& reason) {
    const FusionDecision decision = found ? FusionDecision::yes() : FusionDecision::no(reason);
    if (draft.log().add("attention", describe(program.statements[size_t(position)]), decision))
      draft.attentions.push_back(std::move(*found));
  };
  each_candidate(program, draft.options, draft.tuning(), note);
}

void mark_attentions(Draft& draft) {
  const auto mark = [&](int, const std::optional<FoundAttention>& found, const std::string&) {
    if (found) draft.inside_attentions.insert(found->inside.begin(), found->inside.end());
  };
  each_candidate(draft.program(), draft.options, draft.tuning(), mark);
}

std::vector<int> contractions_of_attentions(Program& program, const Options& options, const Tuning& tuning) {
  std::vector<int> all;
  const auto note = [&](int, const std::optional<FoundAttention>& found, const std::string&) {
    if (!found) return;
    for (int s : statements_of(program, *found))
      if (as_nest(program.statements[size_t(s)])->is_contraction()) all.push_back(s);
  };
  each_candidate(program, options, tuning, note);
  return all;
}

std::vector<int> statements_of(const Program& program, const FoundAttention& found) {
  auto inside = [&](BufferId b) {
    return std::find(found.inside.begin(), found.inside.end(), b) != found.inside.end();
  };
  std::vector<int> result;
  for (int i = 0; i < int(program.statements.size()); i++) {
    const auto read = buffers_read(program.statements[size_t(i)]),
               written = buffers_written(program.statements[size_t(i)]);
    if (std::any_of(read.begin(), read.end(), inside) || std::any_of(written.begin(), written.end(), inside))
      result.push_back(i);
  }
  return result;
}

std::vector<std::vector<int>> statements_of(const Program& program, const std::vector<FoundAttention>& all) {
  std::vector<std::vector<int>> lists;
  for (const FoundAttention& found : all) lists.push_back(statements_of(program, found));
  return lists;
}

FusedKernel make_attention_kernel(const Program& program, const FoundAttention& found, const std::string& name) {
  FusedKernel kernel;
  kernel.name = name;
  kernel.attention = found.attention;
  kernel.attention->form = found.engine->form;
  Segment epilogue;
  epilogue.stores = found.stores;
  kernel.segments.push_back(std::move(epilogue));
  for (int s : statements_of(program, found))
    add_origins(kernel.origins, as_nest(program.statements[size_t(s)])->origins);
  collect_arguments(kernel);
  return kernel;
}

}  // namespace cppgen::schedule
