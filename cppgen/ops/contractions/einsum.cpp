#include <algorithm>
#include <map>
#include <set>

#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

using ir::AxisRole;

// Labels are letters; the dimensions of an ellipsis are labelled -1 (the last), -2 ...
using Label = int;
using Labels = std::vector<Label>;

struct Equation {
  std::vector<Labels> terms;
  Labels result;
  std::map<Label, IndexExpr> extents;
};

Labels parse_term(InferContext& c, const std::string& text, int ellipsis_rank) {
  Labels out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text.compare(i, 3, "...") == 0) {
      if (ellipsis_rank < 0) c.fail("a term has more labels than its operand has dimensions");
      for (int d = ellipsis_rank; d > 0; --d) out.push_back(-d);
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      out.push_back(text[i]);
    } else {
      c.fail_invalid(fmt::format("the equation has an unexpected character at '{}'", text.substr(i, 1)));
    }
  }
  return out;
}

int letters_in(const std::string& text) {
  return int(std::count_if(text.begin(), text.end(), [](unsigned char ch) { return std::isalpha(ch) != 0; }));
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> out = {""};
  for (char ch : text) {
    if (ch == separator)
      out.emplace_back();
    else
      out.back() += ch;
  }
  return out;
}

// Without "->", the result has the ellipsis, then the letters that occur once, in alphabetical order.
Labels implicit_result(const std::vector<Labels>& terms) {
  std::map<Label, int> count;
  std::set<Label> seen_ellipsis;
  for (const Labels& term : terms) {
    for (Label l : term) l < 0 ? void(seen_ellipsis.insert(l)) : void(++count[l]);
  }
  Labels out(seen_ellipsis.begin(), seen_ellipsis.end());
  for (auto [label, times] : count) {
    if (times == 1) out.push_back(label);
  }
  return out;
}

void bind_extents(InferContext& c, Equation& e, int input) {
  const Labels& term = e.terms[input];
  const Shape& shape = c.shape(input);
  if (term.size() != shape.size()) {
    c.fail(fmt::format("operand {} has the shape {} but {} labels", input, to_string(shape), term.size()));
  }
  for (size_t d = 0; d < term.size(); ++d) {
    IndexExpr& extent = e.extents.emplace(term[d], 1).first->second;
    const std::optional<IndexExpr> both = broadcast_dimensions(c, extent, shape[d]);
    extent = both ? *both : require_equal(c, extent, shape[d], "dimensions of one label");
  }
}

Equation parse_equation(InferContext& c) {
  std::string text = c.text("equation", "");
  size_t arrow = text.find("->");
  std::vector<std::string> terms = split_at(text.substr(0, arrow), ',');
  if (int(terms.size()) != c.input_count())
    c.fail_invalid(fmt::format("the equation has {} terms for {} inputs", terms.size(), c.input_count()));
  Equation e;
  int ellipsis = 0;
  for (int i = 0; i < c.input_count(); ++i) {
    int rank = int(c.shape(i).size()) - letters_in(terms[i]);
    if (terms[i].find("...") != std::string::npos) ellipsis = std::max(ellipsis, rank);
    e.terms.push_back(parse_term(c, terms[i], rank));
    bind_extents(c, e, i);
  }
  e.result = arrow == std::string::npos ? implicit_result(e.terms) : parse_term(c, text.substr(arrow + 2), ellipsis);
  std::set<Label> seen;
  for (Label l : e.result) {
    if (!e.extents.count(l)) c.fail("the result has a label that does not occur in any operand");
    if (!seen.insert(l).second) c.fail("the result has a label twice");
  }
  return e;
}

Shape shape_of(const Equation& e, const Labels& labels) {
  Shape out;
  for (Label l : labels) out.push_back(e.extents.at(l));
  return out;
}

void infer_einsum(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  for (int i = 1; i < c.input_count(); ++i) require_same_dtype(c, 0, i);
  Equation e = parse_equation(c);
  Shape out = shape_of(e, e.result);
  require_size(c, out, c.dtype(0));
  c.set_output(0, c.dtype(0), out);
}

struct Operand {
  ir::BufferId buffer;
  Labels labels;
};

using Variables = std::map<Label, IndexExpr>;

bool contains(const Labels& labels, Label l) { return std::find(labels.begin(), labels.end(), l) != labels.end(); }

Scalar load_operand(LowerContext& c, const Operand& o, const Variables& variables) {
  const Shape shape = c.program().buffer(o.buffer).shape;
  At at;
  for (size_t d = 0; d < o.labels.size(); ++d) at.push_back(broadcast_index(variables.at(o.labels[d]), shape[d]));
  return load(c, o.buffer, at);
}

bool varies_along(LowerContext& c, const Operand& o, Label l) {
  const Shape& shape = c.program().buffer(o.buffer).shape;
  for (size_t d = 0; d < o.labels.size(); ++d) {
    if (o.labels[d] == l && !shape[d].is_constant(1)) return true;
  }
  return false;
}

AxisRole role_of(LowerContext& c, const Operand& a, const Operand& b, Label l) {
  bool left = varies_along(c, a, l), right = varies_along(c, b, l);
  return left && right ? AxisRole::batch : right ? AxisRole::columns : AxisRole::rows;
}

// out[result] = sum over all other labels of a (x b).
void emit_term(LowerContext& c, const Equation& e, const Operand& a, const Operand* b, const Labels& result,
               ir::BufferId out, DType type, const std::string& name) {
  Labels summed;
  for (const Operand* o : {&a, b}) {
    for (Label l : o ? o->labels : Labels()) {
      if (!contains(result, l) && !contains(summed, l)) summed.push_back(l);
    }
  }
  ir::LoopNest nest;
  nest.name = name;
  nest.loops = c.loops(shape_of(e, result));
  nest.reduced = c.loops(shape_of(e, summed), "r");
  Variables variables;
  for (size_t d = 0; d < result.size(); ++d) variables[result[d]] = nest.loops[d].var;
  for (size_t d = 0; d < summed.size(); ++d) variables[summed[d]] = nest.reduced[d].var;
  Scalar value = load_operand(c, a, variables);
  if (b) value = value * load_operand(c, *b, variables);
  Scalar stored = value;
  if (!summed.empty()) {
    nest.reductions.push_back({ir::ReduceOp::sum, type, value});
    stored = scalar(c, c.exprs().accumulator(0, type));
    if (b) {
      for (Label l : result) nest.roles.push_back(role_of(c, a, *b, l));
      nest.roles.insert(nest.roles.end(), summed.size(), AxisRole::k);
    }
  }
  nest.stores.push_back({out, LowerContext::indices(nest.loops), stored});
  c.emit(std::move(nest));
}

// Sums away what only this operand has, so that products run over shared labels only.
Operand summed_alone(LowerContext& c, const Equation& e, const Operand& o, const Labels& needed, DType type) {
  Labels kept;
  for (Label l : o.labels) {
    if (contains(needed, l) && !contains(kept, l)) kept.push_back(l);
  }
  if (kept == o.labels) return o;
  ir::BufferId out = c.temporary(type, [&] {
    Shape shape;
    for (Label l : kept) shape.push_back(varies_along(c, o, l) ? e.extents.at(l) : IndexExpr(int64_t(1)));
    return shape;
  }());
  Equation own = e;
  for (Label l : o.labels) {
    if (!varies_along(c, o, l)) own.extents[l] = 1;
  }
  emit_term(c, own, o, nullptr, kept, out, type, "sum");
  return {out, kept};
}

void lower_einsum(LowerContext& c) {
  Equation e = parse_equation(c);
  DType type = ir::value_type(c.dtype(0));
  Operand left{c.input_buffer(0), e.terms[0]};
  int count = c.input_count();
  if (count == 1) return emit_term(c, e, left, nullptr, e.result, c.output_buffer(0), type, "");
  for (int i = 1; i < count; ++i) {
    Labels later = e.result;  // labels that are needed after this product
    for (int k = i + 1; k < count; ++k) later.insert(later.end(), e.terms[k].begin(), e.terms[k].end());
    Labels beside_left = later, beside_right = later;
    beside_left.insert(beside_left.end(), e.terms[i].begin(), e.terms[i].end());
    beside_right.insert(beside_right.end(), left.labels.begin(), left.labels.end());
    Operand right{c.input_buffer(i), e.terms[i]};
    right = summed_alone(c, e, right, beside_right, type);
    left = summed_alone(c, e, left, beside_left, type);
    Labels result;
    for (const Operand* o : {&left, &right}) {
      for (Label l : o->labels) {
        if (contains(later, l) && !contains(result, l)) result.push_back(l);
      }
    }
    bool last = i + 1 == count;
    if (last) result = e.result;
    ir::BufferId out = last ? c.output_buffer(0) : c.temporary(type, shape_of(e, result));
    emit_term(c, e, left, &right, result, out, type, "");
    left = {out, result};
  }
}

}  // namespace

std::vector<Op> einsum_ops() {
  return {
      {.name = "Einsum",
       .versions = {{12, "equation:string"}},
       .inputs = {1, kAny},
       .infer = infer_einsum,
       .lower = lower_einsum},
  };
}

}  // namespace cppgen::ops
