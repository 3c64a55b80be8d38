#include "cppgen/ops/declared.h"

#include <algorithm>

#include "runtime/base/printable.h"

namespace cppgen::ops {

std::optional<Shape> declared_shape(const InferContext& c, int output) {
  const auto& declared = c.node().facts.declared;
  const auto found = declared.find(output);
  if (found == declared.end()) return std::nullopt;
  return Shape(found->second.begin(), found->second.end());
}

Shape require_declared(InferContext& c, int input, const char* what, const std::optional<PartialShape>& partial) {
  std::optional<Shape> shape = declared_shape(c, 0);
  const auto known = [](const auto& d) { return d.has_value(); };
  if (!shape && partial && c.can_resolve()) {
    if (!std::all_of(partial->begin(), partial->end(), known)) return c.resolved_dimensions(0, *partial);
    shape.emplace();  // nothing is left to a run, which checks the arguments like those of a declared shape
    for (const auto& d : *partial) shape->push_back(*d);
  }
  if (!shape)
    c.fail(fmt::format("input {} ({}) must be constant, or the output's shape must be declared", input, what));
  require_size(c, *shape, DType::f64);
  return *shape;
}

bool is_resolved(const InferContext& c) { return c.node().facts.run_time_symbols.has_value(); }

void emit_dims(LowerContext& c, ir::BufferId dims, const std::vector<Scalar>& values) {
  ir::LoopNest nest;
  nest.name = "dims";
  for (size_t d = 0; d < values.size(); ++d) nest.stores.push_back({dims, {int64_t(d)}, values[d].cast(DType::i64)});
  if (!nest.stores.empty()) c.emit(std::move(nest));
}

Scalar valid_or_refused(LowerContext& c, Scalar dim, const std::vector<Scalar>& conditions) {
  for (const Scalar& condition : conditions) dim = select(condition, dim, number(c, dim.type(), -1));
  return dim;
}

bool is_run_time(const InferContext& c, int input) {
  return c.has_input(input) && !c.contents(input) && !c.constant(input);
}

Scalar integer_element(LowerContext& c, int input, int64_t k) {
  std::vector<IndexExpr> at(c.shape(input).size(), IndexExpr());
  if (!at.empty()) at[0] = k;
  return load_input(c, input, at).cast(DType::i64);
}

int64_t element_count(InferContext& c, int input) {
  if (c.shape(input).empty()) return 1;
  require_rank(c, input, 1, 1);
  return constant_dim(c, c.shape(input)[0], "the number of elements of a shape argument");
}

Scalar lists_axis(LowerContext& c, int input, int64_t d, int64_t rank) {
  Scalar listed = scalar(c, c.exprs().constant_int(DType::boolean, 0));
  for (int64_t k = 0, n = element_count(c, input); k < n; ++k) {
    Scalar axis = integer_element(c, input, k);
    listed = listed || axis == double(d) || axis == double(d - rank);
  }
  return listed;
}

Scalar checked(LowerContext& c, Scalar value, const std::vector<Scalar>& conditions, const std::string& otherwise) {
  // The dimensions were checked when they were computed.
  if (conditions.empty() || is_resolved(c)) return value;
  Scalar all = conditions[0];
  for (size_t k = 1; k < conditions.size(); ++k) all = all && conditions[k];
  // Reads a table of two ones: at 0, or at 2, which is outside and so ends the run.
  const Scalar zero = number(c, DType::i64, 0), place = select(all, zero, zero.number(2));
  const IndexExpr at =
      c.index().indirect(2, one_line(fmt::format("node '{}' ({}): {}", c.node().name, c.node().op, otherwise)));
  const Scalar one = scalar(c, c.exprs().load(c.constant_buffer(tensor_of({1, 1}, {2})), DType::i64, {at}, {}, nullptr,
                                              {{at.node(), place}}));
  return select(one != 0.0, value, value.number(0));
}

}  // namespace cppgen::ops
