// Operators that the passes over ai.onnx.ml (passes/expand_*.cpp) require in addition to ONNX's own.
#include "cppgen/ops/common.h"
#include "cppgen/ops/sequences/strings.h"
#include "runtime/plan/calls/host_sequences.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

constexpr const char* kOwn = "cppgen";

// --- FeatureRows: any numbers [features] or [rows, features] as float32 [rows, features]; attribute keep_double

void infer_feature_rows(InferContext& c) {
  require_dtype(c, 0, kNumbers | kBool);
  require_rank(c, 0, 1, 2);
  Shape shape = c.shape(0);
  if (shape.size() == 1) shape.insert(shape.begin(), IndexExpr(int64_t(1)));
  const bool wide = c.dtype(0) == DType::f64 && c.integer("keep_double", 0) != 0;
  c.set_output(0, wide ? DType::f64 : DType::f32, shape);
}

void lower_feature_rows(LowerContext& c) {
  const DType type = c.output(0).dtype;
  const bool row = c.shape(0).size() == 1;
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return load_input(c, 0, row ? At{at[1]} : at).cast(type); });
}

// --- NumberPositions: the first position of each number among the keys (float64 or int64), their count if there is
// none

const Tensor& keys_of(InferContext& c) {
  const Attribute* a = c.attribute("keys");
  if (!a || !std::get_if<Tensor>(a)) c.fail("attribute 'keys' is not a tensor");
  return std::get<Tensor>(*a);
}

void infer_number_positions(InferContext& c) {
  require_dtype(c, 0, kNumbers | kBool);
  keys_of(c);
  c.set_output(0, DType::i64, c.shape(0));
}

void lower_number_positions(LowerContext& c) {
  const Tensor& keys = keys_of(c);
  const ir::BufferId stored = c.constant_buffer(keys);
  const auto count = double(keys.elements());
  auto value = [&](const At& at, const At& key) {
    const Scalar x = load_input(c, 0, at).cast(keys.dtype), own = load(c, stored, {key[0]});
    const Scalar same = is_float(keys.dtype) ? x == own || (is_nan(x) && is_nan(own)) : x == own;
    return select(same, index_value(c, key[0]), number(c, DType::i64, count));
  };
  emit_reduction(c, {"search", c.output_buffer(0), {keys.elements()}, ReduceOp::min, value, [&](Scalar found) {
                       return min(found, number(c, DType::i64, count));
                     }});
}

// --- CoupledProbabilities: of each class, from those r [rows, pairs] that the first of two classes has against the
// second (pairs in the order 01, 02, .. 12, ..), as Wu, Lin and Weng (2004) couple them: until no class is off by more
// than 0.005 / classes, at most 100 rounds.

struct Coupling {
  LowerContext& c;
  int64_t classes;
  IndexExpr rows;
  ir::BufferId q = -1;  // [rows, classes, classes]

  Scalar at(ir::BufferId b, At index) const { return load(c, b, std::move(index)); }
};

void infer_coupled(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  require_rank(c, 0, 2, 2);
  c.set_output(0, DType::f32, {c.shape(0)[0], c.integer("classes")});
}

// probability[row, i, j] that class i has against j; 0 on the diagonal.
ir::BufferId emit_pairs(Coupling& k) {
  LowerContext& c = k.c;
  std::vector<int64_t> pair(size_t(k.classes * k.classes), 0);
  std::vector<int64_t> sides(pair.size(), 0);
  int64_t number_of = 0;
  for (int64_t i = 0; i < k.classes; i++)
    for (int64_t j = i + 1; j < k.classes; j++, number_of++) {
      pair[size_t(i * k.classes + j)] = pair[size_t(j * k.classes + i)] = number_of;
      sides[size_t(i * k.classes + j)] = 1, sides[size_t(j * k.classes + i)] = 2;
    }
  const std::vector<int64_t> dims{k.classes, k.classes};
  const ir::BufferId place = c.constant_buffer(tensor_of(pair, dims)), side = c.constant_buffer(tensor_of(sides, dims));
  const ir::BufferId r = c.temporary(DType::f32, {k.rows, k.classes, k.classes});
  c.emit_pointwise(
      r,
      [&](const At& at) {
        const Scalar own =
            load_gathered(c, c.input_buffer(0), {at[0], IndexExpr()}, {{1, load(c, place, {at[1], at[2]})}});
        const Scalar which = load(c, side, {at[1], at[2]});
        return select(which == 1.0, own, select(which == 2.0, 1.0 - own, own.number(0)));
      },
      "pairs");
  return r;
}

void emit_matrix(Coupling& k, ir::BufferId r) {
  LowerContext& c = k.c;
  const ir::BufferId diagonal = c.temporary(DType::f32, {k.rows, k.classes});
  emit_reduction(c, {"diagonal",
                     diagonal,
                     {k.classes},
                     ReduceOp::sum,
                     [&](const At& at, const At& j) {
                       const Scalar other = load(c, r, {at[0], j[0], at[1]});
                       return other * other;
                     },
                     nullptr});
  k.q = c.temporary(DType::f32, {k.rows, k.classes, k.classes});
  c.emit_pointwise(
      k.q,
      [&](const At& at) {
        const Scalar product = -(load(c, r, {at[0], at[2], at[1]}) * load(c, r, {at[0], at[1], at[2]}));
        return select(index_value(c, at[1]) == index_value(c, at[2]), load(c, diagonal, {at[0], at[1]}), product);
      },
      "matrix");
}

ir::Carried emit_state(LowerContext& c, const Shape& shape, double initial) {
  const ir::Carried state{c.temporary(DType::f32, shape), c.temporary(DType::f32, shape),
                          c.temporary(DType::f32, shape)};
  c.emit_pointwise(
      state.initial, [&](const At&) { return number(c, DType::f32, initial); }, "initial");
  return state;
}

// The probabilities p, q p, p q p, and whether a row is done.
struct CoupledStates {
  ir::Carried p, qp, pqp, done;
};

// A round goes over the classes; each step changes the probability of one, `own`, and scales all.
struct CoupledStep {
  const Coupling& k;
  const CoupledStates& states;
  IndexExpr own;
  Scalar first;                         // of its round
  ir::BufferId products, total, error;  // q p and p q p, recomputed in the first step, and the greatest error

  Scalar now(const At& at) const { return select(first, k.at(products, at), k.at(states.qp.before, at)); }
  Scalar sum(IndexExpr row) const { return select(first, k.at(total, {row}), k.at(states.pqp.before, {row})); }
  Scalar diagonal(IndexExpr row) const { return k.at(k.q, {row, own, own}); }
  Scalar change(IndexExpr row) const { return (sum(row) - now({row, own})) / diagonal(row); }
  Scalar stays(IndexExpr row) const { return k.at(states.done.after, {row}) > 0.0; }
};

void emit_coupled_products(LowerContext& c, const CoupledStep& step) {
  const Coupling& k = step.k;
  auto reduce = [&](const char* name, ir::BufferId to, ReduceOp op, const auto& value) {
    emit_reduction(c, {name, to, {k.classes}, op, value, nullptr});
  };
  const ir::BufferId p = step.states.p.before;
  reduce("products", step.products, ReduceOp::sum, [&](const At& at, const At& j) {
    return k.at(k.q, {at[0], at[1], j[0]}) * k.at(p, {at[0], j[0]});
  });
  reduce("total", step.total, ReduceOp::sum, [&](const At& at, const At& j) {
    return k.at(p, {at[0], j[0]}) * k.at(step.products, {at[0], j[0]});
  });
  reduce("error", step.error, ReduceOp::max, [&](const At& at, const At& j) {
    return abs(k.at(step.products, {at[0], j[0]}) - k.at(step.total, {at[0]}));
  });
}

void emit_step(LowerContext& c, const CoupledStep& step) {
  const Coupling& k = step.k;
  const CoupledStates& s = step.states;
  emit_coupled_products(c, step);
  c.emit_pointwise(
      s.done.after,
      [&](const At& at) {
        const Scalar found = step.first && k.at(step.error, at) < 0.005 / double(k.classes),
                     before = k.at(s.done.before, at);
        return select(found, before.number(1), before);
      },
      "done");
  c.emit_pointwise(
      s.pqp.after,
      [&](const At& at) {
        const Scalar d = step.change(at[0]), scale = d + 1.0, own = step.now({at[0], step.own});
        const Scalar next = (step.sum(at[0]) + d * (d * step.diagonal(at[0]) + own * 2.0)) / scale / scale;
        return select(step.stays(at[0]), k.at(s.pqp.before, at), next);
      },
      "sum");
  c.emit_pointwise(
      s.qp.after,
      [&](const At& at) {
        const Scalar d = step.change(at[0]);
        const Scalar next = (step.now(at) + d * k.at(k.q, {at[0], step.own, at[1]})) / (d + 1.0);
        return select(step.stays(at[0]), k.at(s.qp.before, at), next);
      },
      "rows");
  c.emit_pointwise(
      s.p.after,
      [&](const At& at) {
        const Scalar d = step.change(at[0]), before = k.at(s.p.before, at);
        const Scalar moved = select(index_value(c, at[1]) == index_value(c, step.own), before + d, before);
        return select(step.stays(at[0]), before, moved / (d + 1.0));
      },
      "probabilities");
}

void lower_coupled(LowerContext& c) {
  constexpr int64_t kRounds = 100;
  Coupling k{c, c.integer("classes"), c.shape(0)[0]};
  emit_matrix(k, emit_pairs(k));
  const Shape all{k.rows, k.classes}, one{k.rows};
  const CoupledStates states{emit_state(c, all, 1.0 / double(k.classes)), emit_state(c, all, 0), emit_state(c, one, 0),
                             emit_state(c, one, 0)};
  ir::Repetition rounds;
  rounds.steps = kRounds * k.classes;
  const IndexExpr step = rounds.step = c.index().step_symbol(rounds.steps);
  rounds.carried = {states.p, states.qp, states.pqp, states.done};
  c.repeat(std::move(rounds), [&] {
    const IndexExpr own = ir::mod(step, k.classes);
    const ir::BufferId products = c.temporary(DType::f32, all), total = c.temporary(DType::f32, one),
                       error = c.temporary(DType::f32, one);
    emit_step(c, {k, states, own, index_value(c, own) == 0.0, products, total, error});
  });
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return load(c, states.p.after, at); });
}

// --- ArrayFeatureExtractor: the columns that the second input names; of one dimension, as of one row

void infer_extractor(InferContext& c) {
  require_rank(c, 0, 1, -1);
  require_dtype(c, 1, bit(DType::i64) | bit(DType::i32));
  IndexExpr count = 1;
  for (IndexExpr d : c.shape(1)) count = count * d;
  Shape to = c.shape(0);
  if (to.size() == 1) to.insert(to.begin(), IndexExpr(int64_t(1)));
  to.back() = count;
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void lower_extractor(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Shape& indices = c.shape(1);
    At place(indices.size());
    IndexExpr rest = at.back();
    for (size_t d = indices.size(); d-- > 0; rest = ir::floordiv(rest, indices[d]))
      place[d] = d == 0 ? rest : ir::mod(rest, indices[d]);
    const At from(at.end() - std::ptrdiff_t(c.shape(0).size()), at.end());
    return load_gathered(c, c.input_buffer(0), from, {{int(from.size()) - 1, load_input(c, 1, place)}});
  });
}

// --- ZipMap: the keys that all maps share, and the values, a row for each map

void infer_zip_map(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  require_rank(c, 0, 1, 2);
  const size_t strings = texts(c, "classlabels_strings").size(), ints = c.integers("classlabels_int64s", {}).size();
  if ((strings == 0) == (ints == 0)) c.fail("one of classlabels_strings and classlabels_int64s must list the keys");
  const IndexExpr columns = c.shape(0).back();
  if (columns.is_constant() && columns.constant() != int64_t(strings + ints))
    c.fail(fmt::format("there are {} keys for {} columns", strings + ints, columns.constant()));
  c.set_host_output(0, {ValueKind::sequence, DType::f32, false, std::nullopt});
}

rt::HostStep host_zip_map(InferContext& c) {
  return host_call("zip_map", rt::KeysCall{texts(c, "classlabels_strings"), c.integers("classlabels_int64s", {})});
}

}  // namespace

std::vector<Op> learner_ops() {
  return {
      {.name = "FeatureRows",
       .domain = kOwn,
       .versions = {{1, "keep_double:int"}},
       .inputs = 1,
       .infer = infer_feature_rows,
       .lower = lower_feature_rows},
      {.name = "NumberPositions",
       .domain = kOwn,
       .versions = {{1, "keys:tensor"}},
       .inputs = 1,
       .infer = infer_number_positions,
       .lower = lower_number_positions},
      {.name = "CoupledProbabilities",
       .domain = kOwn,
       .versions = {{1, "classes:int"}},
       .inputs = 1,
       .infer = infer_coupled,
       .lower = lower_coupled},
      {.name = "ArrayFeatureExtractor",
       .domain = kLearnersDomain,
       .versions = {1},
       .inputs = 2,
       .elements = Elements::strings,
       .infer = infer_extractor,
       .lower = lower_extractor},
      {.name = "ZipMap",
       .domain = kLearnersDomain,
       .versions = {{1, "classlabels_int64s:ints classlabels_strings:strings"}},
       .inputs = 1,
       .infer = infer_zip_map,
       .host = host_zip_map},
  };
}

}  // namespace cppgen::ops
