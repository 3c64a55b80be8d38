#include <algorithm>

#include "cppgen/ir/index/bounds_for_equality.h"
#include "cppgen/ir/index/polynomial.h"
#include "cppgen/ops/op.h"
#include "cppgen/passes/infer_types.h"
#include "cppgen/passes/passes.h"
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

// A min or max in e, the outermost first; null if there is none.
const ir::IndexNode* extremum_in(IndexExpr e) {
  if (e.is_constant()) return nullptr;
  if (e.node()->op == ir::IndexOp::min || e.node()->op == ir::IndexOp::max) return e.node();
  for (const ir::IndexTerm& t : e.node()->terms)
    if (const auto* found = extremum_in(IndexExpr(t.node))) return found;
  for (IndexExpr arg : e.node()->args)
    if (const auto* found = extremum_in(arg)) return found;
  return nullptr;
}

constexpr int kMostChoices = 3;

// Solves where the symbol's value decides which operand a min or max is: S = T - min(T, P) gives T = P + S. An operand
// is chosen, and the value counts if the difference is 0 with it.
std::optional<IndexExpr> solved_choosing(IndexExpr difference, IndexExpr symbol, IndexExpr chosen, int choices = 0) {
  if (const auto value = solved(chosen, symbol); value && !extremum_in(*value))
    if (ir::prove_equal(ir::substitute(difference, {{symbol.node(), *value}}), 0)) return value;
  const ir::IndexNode* extremum = choices < kMostChoices ? extremum_in(chosen) : nullptr;
  if (!extremum) return std::nullopt;
  for (IndexExpr operand : extremum->args) {
    const IndexExpr next = ir::substitute(chosen, {{extremum, operand}});
    if (const auto value = solved_choosing(difference, symbol, next, choices + 1)) return value;
  }
  return std::nullopt;
}

int complexity(IndexExpr e) {
  if (e.is_constant()) return 0;
  if (e.node()->op == ir::IndexOp::variable) return 1;
  return extremum_in(e) ? 3 : 2;
}

// Numbers before symbols before other expressions, those with min and max last; later symbols give way to earlier ones.
std::optional<Relation> relation_between(Graph& graph, IndexExpr a, IndexExpr b) {
  std::optional<Relation> best;
  const auto consider = [&](const ir::IndexNode* symbol, const std::optional<IndexExpr>& value) {
    if (value && (!best || complexity(*value) <= complexity(best->value))) best = Relation{symbol, *value};
  };
  const bool bounds_suffice = !ir::bounds_for_equality(a, b).empty();
  for (const ir::IndexNode* node : input_symbols(graph)) {
    const IndexExpr symbol = graph.index->symbol(node->name);
    consider(node, solved(a - b, symbol));
    if (!bounds_suffice) consider(node, solved_choosing(a - b, symbol, a - b));
  }
  return best;
}

constexpr size_t kLongestWarning = 200;

// One line: the assumption, and the node that needs it.
void warn(std::string text, const ops::UnequalDimensions& e) {
  const std::string why = e.what();
  const size_t end = why.find("): ");
  text += ", because of " + (end == std::string::npos ? why : why.substr(0, end + 1));
  if (text.size() > kLongestWarning) text = text.substr(0, kLongestWarning - 3) + "...";
  log_warning("{}", text);
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

// A dimension that was taken to be a min or max, which a bound may decide afterwards.
IndexExpr decided(IndexExpr dimension) {
  const ir::IndexNode* extremum = extremum_in(dimension);
  if (!extremum) return dimension;
  IndexExpr value = extremum->args[0];
  for (IndexExpr arg : extremum->args)
    value = extremum->op == ir::IndexOp::min ? ir::min(value, arg) : ir::max(value, arg);
  return ir::substitute(dimension, {{extremum, value}});
}

// False if there are no bounds that make the dimensions equal and that a run can check.
bool assume_equal(Graph& graph, const ops::UnequalDimensions& e) {
  if (!are_of_inputs(graph, e.a - e.b)) return false;
  const auto bounds = ir::bounds_for_equality(e.a, e.b);
  const auto& known = graph.index->assumptions();
  if (std::any_of(bounds.begin(), bounds.end(),
                  [&](const auto& b) { return std::find(known.begin(), known.end(), b) != known.end(); }))
    return false;
  std::string said;  // the two bounds of an equality are one assumption
  for (const ir::IndexBound& bound : bounds) {
    const std::string text = ir::to_string(bound, bounds);
    if (text != said) warn(fmt::format("the model is assumed to have {}", text), e);
    said = text;
    graph.index->assume(bound);
  }
  for (ValueId v : graph.inputs)
    if (graph.value(v).type)
      for (IndexExpr& d : graph.value(v).type->shape) d = decided(d);
  return !bounds.empty();
}

bool relate(Graph& graph, const ops::UnequalDimensions& e) {
  const auto relation = e.in_body ? std::nullopt : relation_between(graph, e.a, e.b);
  if (!relation) return false;
  warn(fmt::format("the model's dimension {} is assumed to be {}", relation->symbol->name,
                   ir::to_string(relation->value)),
       e);
  substitute_in_inputs(graph, *relation);
  return true;
}

constexpr size_t kMostBounds = 64;

}  // namespace

void infer_types(Graph& graph, const PassOptions& options) {
  for (size_t left = input_symbols(graph).size() + kMostBounds; left > 0; left--) {
    Graph typed = deep_copy(graph);
    try {
      infer_node_types(typed, options);
      graph = std::move(typed);
      return;
    } catch (const ops::UnequalDimensions& e) {
      if (!relate(graph, e) && !assume_equal(graph, e)) break;
    }
  }
  infer_node_types(graph, options, /*dimensions_together=*/true);
}

}  // namespace cppgen::passes
