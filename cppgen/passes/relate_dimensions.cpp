#include "cppgen/passes/relate_dimensions.h"

#include <algorithm>

#include "cppgen/ir/bounds_for_equality.h"
#include "cppgen/ir/polynomial.h"
#include "cppgen/ops/op.h"
#include "cppgen/passes/infer_types.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen::passes {
namespace {

struct Relation {
  const ir::IndexNode* symbol;
  IndexExpr value;
};

// Symbols that are dimensions of inputs, in their order.
std::vector<const ir::IndexNode*> input_symbols(const Graph& graph) {
  std::vector<const ir::IndexNode*> symbols;
  for (ValueId v : graph.inputs) {
    if (!graph.value(v).type) continue;
    for (const IndexExpr& d : graph.value(v).type->shape)
      if (d.node() && d.node()->op == ir::IndexOp::variable &&
          std::find(symbols.begin(), symbols.end(), d.node()) == symbols.end())
        symbols.push_back(d.node());
  }
  return symbols;
}

// The value that `symbol` must have where the difference is 0; nullopt if that is not one expression of other symbols
// that can be a dimension.
std::optional<IndexExpr> solved(IndexExpr difference, IndexExpr symbol) {
  auto coefficient = ir::stride_of(difference, symbol.node());
  if (!coefficient || coefficient->is_constant(0)) return std::nullopt;
  if (coefficient->is_constant() && coefficient->constant() < 0) {
    coefficient = IndexExpr(-coefficient->constant());
    difference = IndexExpr(int64_t(0)) - difference;
  }
  const auto value = ir::divide_exactly(*coefficient * symbol - difference, *coefficient);
  if (!value || ir::depends_on_fresh_symbols(*value) || ir::depends_on(*value, symbol.node())) return std::nullopt;
  const IndexExpr least(int64_t(value->is_constant() ? 1 : 0));
  if (!ir::prove_less_equal(least, *value)) return std::nullopt;
  return value;
}

// Numbers before symbols before other expressions; later symbols give way to earlier ones.
std::optional<Relation> relation_between(Graph& graph, IndexExpr a, IndexExpr b) {
  std::optional<Relation> best;
  auto complexity = [](IndexExpr e) { return e.is_constant() ? 0 : e.node()->op == ir::IndexOp::variable ? 1 : 2; };
  for (const ir::IndexNode* node : input_symbols(graph)) {
    const auto value = solved(a - b, graph.index->symbol(node->name));
    if (value && (!best || complexity(*value) <= complexity(best->value))) best = Relation{node, *value};
  }
  return best;
}

void substitute_in_inputs(Graph& graph, const Relation& relation) {
  const ir::IndexMap map{{relation.symbol, relation.value}};
  for (ValueId v : graph.inputs)
    if (graph.value(v).type)
      for (IndexExpr& d : graph.value(v).type->shape) d = ir::substitute(d, map);
  graph.index->substitute_in_assumptions(map);
}

bool are_of_inputs(const Graph& graph, IndexExpr e) {
  const auto known = input_symbols(graph), variables = ir::variables_of(e);
  return std::all_of(variables.begin(), variables.end(),
                     [&](const auto* v) { return std::find(known.begin(), known.end(), v) != known.end(); });
}

// False if no bounds make the dimensions equal that a run could check.
bool assume_equal(Graph& graph, const ops::UnequalDimensions& e) {
  if (!are_of_inputs(graph, e.a - e.b)) return false;
  const auto bounds = ir::bounds_for_equality(e.a, e.b);
  const auto& known = graph.index->assumptions();
  if (std::any_of(bounds.begin(), bounds.end(),
                  [&](const auto& b) { return std::find(known.begin(), known.end(), b) != known.end(); }))
    return false;
  for (const ir::IndexBound& bound : bounds) {
    log_warning("the model is taken to have {}, because {}", ir::to_string(bound), e.what());
    graph.index->assume(bound);
  }
  return !bounds.empty();
}

bool relate(Graph& graph, const ops::UnequalDimensions& e) {
  const auto relation = e.in_body ? std::nullopt : relation_between(graph, e.a, e.b);
  if (!relation) return false;
  log_warning("the model's dimension {} is taken to be {}, because {}", relation->symbol->name,
              ir::to_string(relation->value), e.what());
  substitute_in_inputs(graph, *relation);
  return true;
}

constexpr size_t kMostBounds = 64;

}  // namespace

void infer_types_relating_dimensions(Graph& graph, const PassOptions& options) {
  for (size_t left = input_symbols(graph).size() + kMostBounds; left > 0; left--) {
    Graph typed = deep_copy(graph);
    try {
      infer_types(typed, options);
      graph = std::move(typed);
      return;
    } catch (const ops::UnequalDimensions& e) {
      if (!relate(graph, e) && !assume_equal(graph, e)) break;
    }
  }
  infer_types(graph, options, /*dimensions_together=*/true);
}

}  // namespace cppgen::passes
