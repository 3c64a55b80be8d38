#include "cppgen/schedule/fusion/attention_match.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cppgen/schedule/fusion/group_align.h"
#include "cppgen/schedule/fusion/invert.h"

namespace cppgen::schedule {
namespace {

using ir::BinaryOp;
using ir::ExprKind;
using ir::ReduceOp;
using ir::UnaryOp;

bool is_constant_one(Expr e) { return e->kind == ExprKind::constant && e->float_value() == 1; }
bool is_binary(Expr e, BinaryOp op) { return e->kind == ExprKind::binary && e->binary == op; }

bool is_rounding(Expr e) { return e->kind == ExprKind::unary && ir::is_rounding(e->unary); }

bool depends_on(Expr value, const ir::IndexNode* variable) {
  for (Expr e : ir::postorder({&value, 1}))
    for (IndexExpr i : e->indices)
      if (ir::depends_on(i, variable)) return true;
  return false;
}

// Statements whose results are read only by the reader, directly or through each other. Contractions end the search.
class Closure {
 public:
  Closure(const Program& program, const Uses& uses, int reader, BufferId first)
      : program_(program), uses_(uses), members_{reader} {
    add_writer_of(first);
    for (bool grown = true; grown;) {
      size_t before = members_.size();
      for (int s : std::vector<int>(members_.begin(), members_.end()))
        if (s != reader && !nest(s).is_contraction())
          for (Expr load : loads_of(nest(s))) add_writer_of(load->buffer);
      grown = members_.size() > before;
    }
  }

  // The contraction and the statements that depend on its result, without the reader.
  std::vector<int> between(int contraction, int reader) const {
    std::set<BufferId> reached;
    std::vector<int> result;
    for (int s : members_) {
      bool needs = s == contraction;
      for (Expr load : loads_of(nest(s))) needs |= reached.count(load->buffer) != 0;
      if (!needs || s == reader) continue;
      result.push_back(s);
      for (const auto& store : nest(s).stores) reached.insert(store.buffer);
    }
    return result;
  }

  std::vector<int> contractions(int reader) const {
    std::vector<int> result;
    for (int s : members_)
      if (s != reader && nest(s).is_contraction()) result.push_back(s);
    return result;
  }

 private:
  const Program& program_;
  const Uses& uses_;
  std::set<int> members_;

  const LoopNest& nest(int s) const { return *as_nest(program_.statements[size_t(s)]); }

  bool is_private(BufferId b) const {
    const auto& readers = uses_.readers[size_t(b)];
    return program_.buffer(b).kind == ir::BufferKind::temporary && uses_.writers[size_t(b)].size() == 1 &&
           std::all_of(readers.begin(), readers.end(), [&](int r) { return members_.count(r) != 0; });
  }

  void add_writer_of(BufferId b) {
    if (!is_private(b)) return;
    int writer = uses_.writers[size_t(b)][0];
    const LoopNest* found = as_nest(program_.statements[size_t(writer)]);
    if (!found) return;
    if (std::all_of(found->stores.begin(), found->stores.end(), [&](const auto& s) { return is_private(s.buffer); }))
      members_.insert(writer);
  }
};

// Evaluates an element symbolically through the statements between a contraction and a reader.
class Evaluation {
 public:
  Evaluation(Program& program, const Uses& uses, const std::vector<int>& statements, int contraction,
             const ir::Loop& keys)
      : program_(program),
        uses_(uses),
        statements_(statements.begin(), statements.end()),
        contraction_(contraction),
        keys_(keys) {}

  Expr query = nullptr, key = nullptr;
  ir::Loop head_size;
  struct Reduced {
    ReduceOp op;
    Expr value;
  };
  std::vector<Reduced> reductions;  // accumulator i + 1; accumulator 0 is the product
  std::string reason;

  Expr evaluate(Expr e) {
    ir::Rewrite rewrite;
    rewrite.replace_load = [&](Expr load) { return value_of(load); };
    return ir::rewrite(*program_.exprs, e, rewrite);
  }

 private:
  Program& program_;
  const Uses& uses_;
  std::set<int> statements_;
  int contraction_;
  ir::Loop keys_;
  std::map<Expr, Expr> values_;  // of loads

  Expr fail(const char* why) {
    if (reason.empty()) reason = why;
    return nullptr;
  }

  Expr value_of(Expr load) {
    const auto& writers = uses_.writers[size_t(load->buffer)];
    if (writers.size() != 1 || !statements_.count(writers[0])) return nullptr;
    if (auto it = values_.find(load); it != values_.end()) return it->second;
    return values_[load] = computed(load, writers[0]);
  }

  Expr computed(Expr load, int writer) {
    if (!load->guards.empty() || !load->indirects.empty()) return fail("a score is read under a condition");
    const DType type = program_.buffer(load->buffer).type;
    const LoopNest& nest = *as_nest(program_.statements[size_t(writer)]);
    const auto store =
        std::find_if(nest.stores.begin(), nest.stores.end(), [&](const auto& s) { return s.buffer == load->buffer; });
    auto at = invert(nest.loops, store->indices, load->indices);
    if (!at) return fail("scores are read in another order than they are computed");
    ir::Rewrite here;
    here.indices = std::move(*at);
    if (!nest.reductions.empty() && !(writer == contraction_ ? multiply(nest, here) : reduce(nest, here)))
      return nullptr;
    return as_stored(type, evaluate(ir::rewrite(*program_.exprs, store->value, here)));
  }

  Expr as_stored(DType type, Expr value) {
    const auto rounding = ir::rounding_to(type);
    return rounding ? program_.exprs->unary(*rounding, value) : value;
  }

  // Loops over one point at that point; those of more points stay.
  static std::vector<ir::Loop> fix_single_points(const std::vector<ir::Loop>& loops, ir::IndexMap& at) {
    std::vector<ir::Loop> rest;
    for (const auto& l : loops) {
      if (l.extent.is_constant(1))
        at[l.var.node()] = 0;
      else
        rest.push_back(l);
    }
    return rest;
  }

  // The nest's accumulators become those of the evaluation.
  bool reduce(const LoopNest& nest, ir::Rewrite& here) {
    auto loops = fix_single_points(nest.reduced, here.indices);
    if (loops.size() != 1 || !ir::prove_equal(loops[0].extent, keys_.extent))
      return fail("a reduction is not over the keys");
    here.indices[loops[0].var.node()] = keys_.var;
    std::vector<int> ids;
    for (const auto& r : nest.reductions) {
      if (r.value->type != r.type) return fail("a reduction computes positions");
      ids.push_back(number_of({r.op, evaluate(ir::rewrite(*program_.exprs, r.value, here))}));
    }
    here.replace_accumulator = [this, ids](Expr a) {
      return program_.exprs->accumulator(ids[size_t(a->accumulator)], a->type);
    };
    return true;
  }

  int number_of(const Reduced& r) {
    for (size_t i = 0; i < reductions.size(); i++)
      if (reductions[i].op == r.op && reductions[i].value == r.value) return int(i) + 1;
    reductions.push_back(r);
    return int(reductions.size());
  }

  bool multiply(const LoopNest& nest, const ir::Rewrite& here) {
    auto view = view_of(nest);
    if (!view || nest.reductions[0].type != DType::f32)
      return fail("the scores are not a product of two float32 operands");
    ir::Rewrite operand = here;
    auto loops = fix_single_points(view->k, operand.indices);
    if (loops.empty()) loops = {view->k.back()}, operand.indices.erase(loops[0].var.node());
    if (loops.size() != 1) return fail("K of the scores is not a single loop");
    Expr a = ir::rewrite(*program_.exprs, view->left, operand), b = ir::rewrite(*program_.exprs, view->right, operand);
    if (depends_on(a, keys_.var.node())) std::swap(a, b);
    if (depends_on(a, keys_.var.node()) || !depends_on(b, keys_.var.node()))
      return fail("the keys of the scores and of the second product differ");
    if (query && (query != a || key != b)) return fail("two different scores are combined");
    query = a, key = b, head_size = loops[0];
    return true;
  }
};

// exp(x - max x) / sum of it, with the quotient as such or as a product with 1 / sum.
struct SoftmaxForm {
  const std::vector<Evaluation::Reduced>& reductions;
  Expr score = nullptr;
  bool divides = false;
  bool zeros = false;  // the maximum is at least a finite number, and the sum at least a positive one

  // The weights must not be rounded to a narrow type in between, because the kernel divides the sum of the products by
  // the total.
  bool matches(Expr weight) {
    while (is_rounding(weight)) weight = weight->args[0];
    if (is_binary(weight, BinaryOp::div)) return divides = true, is_quotient(weight->args[0], weight->args[1]);
    if (!is_binary(weight, BinaryOp::mul)) return false;
    for (int i = 0; i < 2; i++) {
      Expr reciprocal = weight->args[size_t(i)];
      if (is_binary(reciprocal, BinaryOp::div) && is_constant_one(reciprocal->args[0]) &&
          is_quotient(weight->args[size_t(1 - i)], reciprocal->args[1]))
        return true;
    }
    return false;
  }

 private:
  bool reduces(Expr accumulator, ReduceOp op, Expr value) const {
    if (accumulator->kind != ExprKind::accumulator || accumulator->accumulator < 1) return false;
    const auto& r = reductions[size_t(accumulator->accumulator - 1)];
    return r.op == op && r.value == value;
  }

  // The other operand of a maximum with this constant, else `e` itself.
  static Expr without_limit(Expr e, double limit, bool& limited) {
    limited = false;
    for (int i = 0; i < 2 && is_binary(e, BinaryOp::max); i++) {
      Expr other = e->args[size_t(i)];
      if (other->kind != ExprKind::constant || other->float_value() != limit) continue;
      limited = true;
      return e->args[size_t(1 - i)];
    }
    return e;
  }

  bool is_quotient(Expr power, Expr total) {
    bool shift_limited = false;
    Expr sum = without_limit(total, double(std::numeric_limits<float>::min()), zeros);
    if (!reduces(sum, ReduceOp::sum, power)) return false;
    if (power->kind != ExprKind::unary) return false;
    if (power->unary != UnaryOp::exp && power->unary != UnaryOp::exp_flushed) return false;
    Expr difference = power->args[0];
    if (!is_binary(difference, BinaryOp::sub)) return false;
    score = difference->args[0];
    Expr greatest = without_limit(difference->args[1], double(std::numeric_limits<float>::lowest()), shift_limited);
    return shift_limited == zeros &&
           (reduces(greatest, ReduceOp::max, score) || reduces(greatest, ReduceOp::max_number, score));
  }
};

bool reads_only_product(Expr score) {
  auto all = ir::postorder({&score, 1});
  return std::all_of(all.begin(), all.end(),
                     [](Expr e) { return e->kind != ExprKind::accumulator || e->accumulator == 0; });
}

std::optional<SoftmaxOfProduct> match_over(Program& program, const Uses& uses, const std::vector<int>& statements,
                                           int contraction, Expr weights, const ir::Loop& keys, std::string& reason) {
  Evaluation evaluation(program, uses, statements, contraction, keys);
  Expr weight = evaluation.evaluate(weights);
  if (evaluation.reductions.empty()) return std::nullopt;
  if (!evaluation.reason.empty()) return reason = evaluation.reason, std::nullopt;
  SoftmaxForm form{evaluation.reductions};
  if (!form.matches(weight) || form.score->type != DType::f32 || !reads_only_product(form.score))
    return reason = "there is no float32 softmax over the keys", std::nullopt;
  if (!evaluation.query) return reason = "the softmax is not of the product", std::nullopt;
  return SoftmaxOfProduct{statements, evaluation.query, evaluation.key, evaluation.head_size,
                          form.score, form.divides,     form.zeros};
}

}  // namespace

std::optional<SoftmaxOfProduct> match_softmax(Program& program, const Uses& uses, int reader, Expr weights,
                                              const ir::Loop& keys, std::string& reason) {
  Closure closure(program, uses, reader, weights->buffer);
  auto contractions = closure.contractions(reader);
  for (size_t i = contractions.size(); i-- > 0;) {
    auto found =
        match_over(program, uses, closure.between(contractions[i], reader), contractions[i], weights, keys, reason);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace cppgen::schedule
