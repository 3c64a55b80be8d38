#include "cppgen/schedule/engines/winograd_inputs.h"

#include <memory>
#include <vector>

#include "runtime/contraction/winograd.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

constexpr size_t kDirections = 2;  // of images

using Polynomial = std::vector<float>;  // from the lowest coefficient

Polynomial times_root(const Polynomial& p, float root) {
  Polynomial product(p.size() + 1);
  for (size_t i = 0; i < p.size(); i++) product[i + 1] += p[i], product[i] -= p[i] * root;
  return product;
}

// Row i: the polynomial that is zero at all finite points but point i, with one coefficient for each input; the last
// row is zero at all of them.
template <int Window>
std::vector<Polynomial> matrix_of_points() {
  std::vector<float> points{0};
  for (const float p : rt::winograd::Points<Window>::kValues) points.push_back(p), points.push_back(-p);
  std::vector<Polynomial> rows;
  for (size_t i = 0; i <= points.size(); i++) {
    Polynomial row{1};
    for (size_t j = 0; j < points.size(); j++)
      if (j != i) row = times_root(row, points[j]);
    row.resize(Window);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The matrix B' of winograd.h. Its elements are exact.
std::vector<Polynomial> input_matrix(rt::winograd::Form form) {
  if (form.stride == 2) return {{1, 0, -1, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, -1, 0, 1}, {0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}};
  return window(form) == 4 ? matrix_of_points<4>() : matrix_of_points<6>();
}

// factors[product][dy][dx], by which the points of a patch are multiplied.
BufferId add_factors(Program& program, Layouts& layouts, rt::winograd::Form form) {
  const auto matrix = input_matrix(form);
  auto values = std::make_shared<std::vector<float>>();
  for (const Polynomial& down : matrix)
    for (const Polynomial& across : matrix)
      for (const float y : down)
        for (const float x : across) values->push_back(y * x);
  const int64_t side = window(form);
  layouts.push_back(row_major(3));
  return program.add_buffer("winograd.factors", DType::f32, {side * side, side, side}, ir::BufferKind::constant,
                            {values, values->data(), values->size() * sizeof(float)});
}

// Returns whether the number of patches of all images is known, and between 1 and `most`.
bool has_patches(const std::vector<Loop>& rows, int64_t side, int64_t most) {
  int64_t patches = 1;
  for (size_t i = 0; i < rows.size(); i++) {
    if (!rows[i].extent.is_constant()) return false;
    const int64_t size = rows[i].extent.constant();
    const int64_t factor = i + kDirections < rows.size() ? size : pieces(size, side);
    if (factor < 1 || factor > most / patches) return false;
    patches *= factor;
  }
  return true;
}

// The nest of the step has the loops of the patches, which are those of the convolution's rows in steps of a patch
// along the directions, of the channels and of the products; its reduced loops are the points of a patch.
constexpr const char* kTransform = "transform_inputs";

bool is_along_direction(const TileContraction& c, size_t row) { return row + kDirections >= c.rows.size(); }

IndexExpr patches_along(const TileContraction& c, size_t row) {
  const IndexExpr size = c.rows[row].extent;
  return is_along_direction(c, row) ? ir::ceildiv(size, int64_t(c.winograd.side)) : size;
}

// Returns what the convolution reads at a point of a patch, in the loops of the nest.
Expr input_at_point(Program& program, const TileContraction& c, const LoopNest& nest) {
  ir::Rewrite at_point;
  for (size_t i = 0; i < c.rows.size(); i++)
    at_point.indices[c.rows[i].var.node()] =
        nest.loops[i].var * int64_t(is_along_direction(c, i) ? c.winograd.side : 1);
  at_point.indices[c.k.var.node()] = nest.loops[c.rows.size()].var;
  for (size_t i = 0; i < kDirections; i++) at_point.indices[c.taps[i].var.node()] = nest.reduced[i].var;
  return ir::rewrite(*program.exprs, c.left, at_point);
}

// transformed[product, patch, channel] = sum over the points of a patch of inputs x factors.
class TransformNest {
 public:
  TransformNest(Program& program, Layouts& layouts, const TileContraction& c)
      : program_(program), layouts_(layouts), c_(c), step_(c) {
    nest_.name = kTransform;
    step_.form = "winograd_inputs";
    add_loops();
    add_sum();
    add_store();
  }

  OperandCopy take() {
    return {std::move(nest_), "transforming", "units share the transformed inputs", std::move(step_)};
  }
  BufferId transformed() const { return nest_.stores[0].buffer; }

 private:
  Program& program_;
  Layouts& layouts_;
  const TileContraction& c_;
  LoopNest nest_;
  TileContraction step_;  // its rows are the patches and the channels, its columns the products

  void add_loops() {
    const auto add = [&](std::vector<Loop>& loops, const char* name, IndexExpr extent) {
      loops.push_back({program_.index->loop(name, extent), extent});
    };
    for (size_t i = 0; i < c_.rows.size(); i++) add(nest_.loops, "patch", patches_along(c_, i));
    add(nest_.loops, "channel", c_.k.extent);
    step_.rows = nest_.loops;
    const int64_t side = window(c_.winograd);
    add(nest_.loops, "product", side * side);
    step_.columns = nest_.loops.back();
    for (size_t i = 0; i < kDirections; i++) add(nest_.reduced, "point", side);
    step_.taps = {nest_.reduced[0]}, step_.k = nest_.reduced[1];
    nest_.roles.assign(step_.rows.size(), ir::AxisRole::rows);
    nest_.roles.insert(nest_.roles.end(), {ir::AxisRole::columns, ir::AxisRole::k, ir::AxisRole::k});
  }
  void add_sum() {
    step_.packed = add_factors(program_, layouts_, c_.winograd);
    step_.packed_batch = 0, step_.panel_elements = ir::product(program_.buffer(step_.packed).shape);
    step_.right = program_.exprs->load(step_.packed, DType::f32, {step_.columns.var, step_.taps[0].var, step_.k.var});
    step_.left = input_at_point(program_, c_, nest_);
    nest_.reductions.push_back(
        {ir::ReduceOp::sum, DType::f32, program_.exprs->binary(ir::BinaryOp::mul, step_.left, step_.right)});
  }
  // Rows and products an odd number of lines apart map to different sets of the first-level cache.
  void add_store() {
    constexpr int64_t kLine = 16;
    IndexExpr patch = 0;
    for (size_t i = 0; i < c_.rows.size(); i++) patch = patch * nest_.loops[i].extent + nest_.loops[i].var;
    const int64_t row = (pieces(c_.k.extent.constant(), kLine) | 1) * kLine, rows = (patch.range().hi + 1) | 1;
    layouts_.push_back(row_major(3));
    const BufferId to = program_.add_buffer(program_.buffer(c_.left->buffer).name + ".transformed", DType::f32,
                                            {step_.columns.extent, rows, row}, ir::BufferKind::temporary);
    nest_.stores.push_back(
        {to, {step_.columns.var, patch, step_.rows.back().var}, program_.exprs->accumulator(0, DType::f32)});
  }
};

// Returns whether the nest transforms the inputs of the convolution.
bool transforms(Program& program, const LoopNest& nest, const TileContraction& c) {
  if (nest.name != kTransform || nest.loops.size() != c.rows.size() + 2) return false;
  for (size_t i = 0; i < c.rows.size(); i++)
    if (!ir::prove_equal(nest.loops[i].extent, patches_along(c, i))) return false;
  return nest.loops.back().extent.is_constant(products(c.winograd)) &&
         ir::prove_equal(nest.loops[c.rows.size()].extent, c.k.extent) &&
         nest.reductions[0].value->args[0] == input_at_point(program, c, nest);
}

// The transforms of the same inputs for an earlier convolution, or -1.
BufferId transformed_before(Program& program, const TileContraction& c) {
  for (const ir::Statement& statement : program.statements)
    if (const auto* nest = std::get_if<LoopNest>(&statement); nest && transforms(program, *nest, c))
      return nest->stores[0].buffer;
  return -1;
}

// The nest defines its results by the inputs themselves, which the kernel reads for patches that are not finite. It
// only records that their transforms are read, by a load whose guard never holds.
void read_transformed(Program& program, LoopNest& nest, const TileContraction& c) {
  ir::Rewrite redirect;
  redirect.replace_load = [&](Expr load) -> Expr {
    if (load != c.left) return nullptr;
    return program.exprs->load(c.transformed, DType::f32, {0, 0, 0}, {{c.k.var, 0, 0}}, load);
  };
  auto& value = nest.reductions[0].value;
  value = ir::rewrite(*program.exprs, value, redirect);
}

}  // namespace

bool shares_inputs(const ContractionView& view, rt::winograd::Form form, const Target& target) {
  const int64_t weights = view.k.back().extent.constant() * view.columns[0].extent.constant();
  return !form.flat && view.batch.empty() && has_patches(view.rows, form.side, target.tuning.winograd_shared_patches) &&
         products(form) * weights * int64_t(sizeof(float)) > target.l2_bytes;
}

void transform_inputs(Program& program, Layouts& layouts, TileContraction& c, Prepared& prepared) {
  c.transformed = transformed_before(program, c);
  if (c.transformed < 0) {
    TransformNest transform(program, layouts, c);
    c.transformed = transform.transformed();
    prepared.copies.push_back(transform.take());
    prepared.copies.back().nest.origins = prepared.nest.origins;
  }
  read_transformed(program, prepared.nest, c);
}

}  // namespace cppgen::schedule
