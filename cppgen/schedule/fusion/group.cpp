#include "cppgen/schedule/fusion/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/schedule/fusion/group_align.h"
#include "cppgen/schedule/fusion/group_dependencies.h"
#include "cppgen/schedule/fusion/group_rules.h"
#include "cppgen/schedule/fusion/size_limits.h"
#include "cppgen/schedule/passes.h"

namespace cppgen::schedule {
namespace {

class Grouper {
 public:
  explicit Grouper(Draft& draft)
      : program_(draft.program()),
        attentions_(statements_of(program_, draft.attentions)),
        options_(draft.options),
        tuning_(draft.tuning()),
        log_(draft.log()),
        uses_(collect_uses(program_)),
        writers_(program_.buffers.size()),
        attention_of_(program_.statements.size(), -1) {
    for (size_t a = 0; a < attentions_.size(); a++)
      for (int s : attentions_[a]) attention_of_[size_t(s)] = int(a);
  }

  std::vector<Group> run() {
    for (int i = 0; i < int(program_.statements.size()); i++) place(i);
    return ordered();
  }

 private:
  Program program_;                           // a copy, without the trivial loops of its nests
  std::vector<std::vector<int>> attentions_;  // the statements of each
  const Options& options_;
  const Tuning& tuning_;
  DecisionLog& log_;
  const Uses uses_;
  std::vector<Group> groups_;
  std::vector<KernelSize> sizes_;  // of the groups
  GroupDependencies dependencies_;
  std::vector<std::vector<int>> writers_;  // per buffer: groups that store it
  std::vector<int> attention_of_;          // per statement

  const ir::Statement& statement(int i) const { return program_.statements[size_t(i)]; }

  std::vector<int> producers_of(int i) const {
    std::set<int> found;
    for (BufferId b : buffers_read(statement(i))) found.insert(writers_[size_t(b)].begin(), writers_[size_t(b)].end());
    return {found.begin(), found.end()};
  }

  // At the last statement of an attention, everything that the others read exists.
  void place_attention(int i) {
    const int attention = attention_of_[size_t(i)];
    const auto& statements = attentions_[size_t(attention)];
    if (i != statements.back()) return;
    std::set<int> producers;
    for (int s : statements)
      for (int p : producers_of(s)) producers.insert(p);
    open(i, LoopNest{}, {producers.begin(), producers.end()});
    groups_.back().closed = true;
    groups_.back().statements = statements;
    groups_.back().attention = attention;
  }

  void place(int i) {
    if (attention_of_[size_t(i)] >= 0) return place_attention(i);
    const LoopNest* nest = as_nest(statement(i));
    auto producers = producers_of(i);
    if (!nest || nest->is_contraction()) {
      open(i, nest ? *nest : LoopNest{}, producers);
      groups_.back().closed = true;
      return;
    }
    LoopNest plain = without_trivial_loops(program_, *nest);
    const bool alone = changes_order(*nest);
    if (!alone && !is_long(plain, tuning_))
      for (int g : candidates(producers))
        if (join(g, i, plain, producers)) return;
    open(i, plain, producers);
    groups_.back().closed = alone;
  }

  // Returns whether a nest is only there to store a tensor in another order of its dimensions. By itself it moves
  // square tiles.
  bool changes_order(const LoopNest& nest) const {
    const auto& copies = log_.copies;
    return std::any_of(copies.begin(), copies.end(), [&](const auto& copy) {
      return copy.kind == "layout" && !nest.stores.empty() && copy.buffer == nest.stores[0].buffer &&
             nest.stores[0].value->kind == ir::ExprKind::load;
    });
  }

  // Producers first, latest first; then recent groups for horizontal fusion.
  std::vector<int> candidates(const std::vector<int>& producers) const {
    std::vector<int> result(producers.rbegin(), producers.rend());
    int first = std::max(0, int(groups_.size()) - int(tuning_.sibling_candidates));
    for (int g = int(groups_.size()); g-- > first;)
      if (std::find(result.begin(), result.end(), g) == result.end()) result.push_back(g);
    return result;
  }

  void open(int i, const LoopNest& nest, const std::vector<int>& producers) {
    Group g;
    g.statements = {i};
    g.outer = nest.loops;
    g.segments.push_back(segment_of(nest, nest.loops.size()));
    groups_.push_back(std::move(g));
    sizes_.emplace_back(nest, tuning_);
    dependencies_.add(producers);
    note_writes(i, int(groups_.size()) - 1);
  }

  void note_writes(int i, int g) {
    for (BufferId b : buffers_written(statement(i)))
      if (auto& w = writers_[size_t(b)]; std::find(w.begin(), w.end(), g) == w.end()) w.push_back(g);
  }

  bool join(int g, int i, const LoopNest& nest, const std::vector<int>& producers) {
    Group& group = groups_[size_t(g)];
    if (group.closed) return false;
    bool related = std::find(producers.begin(), producers.end(), g) != producers.end();
    Joining joining = try_to_join(g, i, nest, producers, related);
    if (!joining.decision && !related && !joining.by_setting) return false;  // not logged one by one
    std::string subject = describe(statement(group.statements.back())) + " + " + describe(statement(i));
    if (!log_.add(related ? "group" : "horizontal", subject, joining.decision)) return false;
    group = std::move(joining.group);
    group.segments.push_back(std::move(joining.segment));
    group.statements.push_back(i);
    sizes_[size_t(g)].add(nest, tuning_);
    note_writes(i, g);
    dependencies_.extend(g, producers);
    return true;
  }

  Joining try_to_join(int g, int i, const LoopNest& nest, const std::vector<int>& producers, bool related) {
    const Group& group = groups_[size_t(g)];
    const int64_t siblings = options_.max_horizontal_fusion_size;
    if (!related && int64_t(group.statements.size()) + 1 > siblings)
      return {FusionDecision::no(fmt::format("the kernel has {} nodes", siblings))};
    if (FusionDecision size = sizes_[size_t(g)].fits(KernelSize(nest, tuning_), options_, tuning_); !size)
      return {std::move(size)};
    if (options_.max_fusion_unique_io_buffers > 0) {
      std::vector<int> statements = group.statements;
      statements.push_back(i);
      if (auto fits = fits_buffers(program_, uses_, statements, options_); !fits)
        return {.decision = std::move(fits), .by_setting = true};
    }
    for (int p : producers)
      if (p != g && dependencies_.depends(p, g)) return {FusionDecision::no("another kernel must run between the two")};
    return related ? join_consumer(program_, group, nest, options_, tuning_)
                   : join_sibling(program_, group, nest, options_, tuning_);
  }

  // An order in which the groups can run; otherwise by their first statement.
  std::vector<Group> ordered() {
    std::vector<int> first_statements;
    for (const Group& g : groups_) first_statements.push_back(g.statements.front());
    std::vector<Group> result;
    for (int g : dependencies_.order(first_statements)) result.push_back(std::move(groups_[size_t(g)]));
    return result;
  }
};

}  // namespace

void group_statements(Draft& draft) { draft.groups = Grouper(draft).run(); }

}  // namespace cppgen::schedule
