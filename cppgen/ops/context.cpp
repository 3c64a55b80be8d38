#include <algorithm>
#include <limits>

#include "cppgen/ops/op.h"
#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::ops {
namespace {

// BatchNormalization -> batch_normalization, LRN -> lrn.
std::string identifier_of(const std::string& op) {
  if (op == "MatMul") return "matmul";
  std::string out;
  for (size_t i = 0; i < op.size(); ++i) {
    char c = op[i];
    bool upper = c >= 'A' && c <= 'Z';
    bool after_lower = i > 0 && op[i - 1] >= 'a' && op[i - 1] <= 'z';
    if (upper && after_lower) out += '_';
    if (upper) {
      out += char(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += c;
    }
  }
  return out;
}

template <class T>
const T& typed(const InferContext& c, const std::string& name, const Attribute& a, const char* wanted) {
  if (const T* value = std::get_if<T>(&a)) return *value;
  c.fail_invalid(fmt::format("attribute '{}' is not {}", name, wanted));
}

}  // namespace

bool InferContext::has_input(int i) const { return i < input_count() && node_.inputs[i] != kNoValue; }
bool InferContext::has_output(int i) const { return i < output_count() && node_.outputs[i] != kNoValue; }

const TensorType& InferContext::input(int i) const {
  if (!has_input(i)) fail_invalid(fmt::format("input {} is missing", i));
  const Value& v = graph_.value(node_.inputs[i]);
  if (v.host)
    fail(fmt::format("input {} ({}) is {}, which the operator does not accept", i, quoted(v.name), to_string(*v.host)));
  if (!v.type) fail(fmt::format("input {} ('{}') has no type", i, v.name));
  return *v.type;
}

const HostType* InferContext::host(int i) const {
  if (!has_input(i)) return nullptr;
  const Value& v = graph_.value(node_.inputs[i]);
  return v.host ? &*v.host : nullptr;
}

const Value& InferContext::input_value(int i) const {
  if (!has_input(i)) fail_invalid(fmt::format("input {} is missing", i));
  return graph_.value(node_.inputs[i]);
}

const std::vector<IndexExpr>* InferContext::contents(int i) const {
  if (!has_input(i)) return nullptr;
  Value& v = graph_.value(node_.inputs[i]);
  if (!v.contents && v.constant && !is_float(v.constant->dtype) && v.constant->elements() <= kMaxKnownElements) {
    std::vector<IndexExpr> elements;
    for (int64_t k = 0; k < v.constant->elements(); ++k)
      elements.push_back(integer_element(v.constant->dtype, v.constant->data.bytes, k));
    v.contents = std::move(elements);
  }
  if (!v.contents && v.type && !is_float(v.type->dtype)) {
    bool empty = std::any_of(v.type->shape.begin(), v.type->shape.end(), [](IndexExpr d) { return d.is_constant(0); });
    if (empty) v.contents.emplace();
  }
  return v.contents ? &*v.contents : nullptr;
}

std::vector<int64_t> InferContext::constant_ints(int i) const {
  const std::vector<IndexExpr>* known = contents(i);
  std::vector<int64_t> out;
  if (known) {
    for (IndexExpr e : *known) {
      if (e.is_constant()) out.push_back(e.constant());
    }
  }
  if (!known || out.size() != known->size()) {
    fail(fmt::format("input {} must be constant integers (at most {})", i, kMaxKnownElements));
  }
  return out;
}

const Tensor* InferContext::constant(int i) const {
  if (!has_input(i)) return nullptr;
  const Value& v = graph_.value(node_.inputs[i]);
  if (v.constant) return &*v.constant;
  if (v.producer < 0 || graph_.nodes[v.producer].op != "Constant") return nullptr;
  const auto& attributes = graph_.nodes[v.producer].attributes;
  auto value = attributes.find("value");
  return value == attributes.end() ? nullptr : std::get_if<Tensor>(&value->second);
}

void InferContext::run_on_host(bool host) { graph_.nodes[size_t(node_.id)].facts.on_host = host; }

const Graph& InferContext::body(const std::string& name) const {
  const Attribute* a = attribute(name);
  if (!a) fail_invalid(fmt::format("attribute '{}' is missing", name));
  return *typed<std::shared_ptr<Graph>>(*this, name, *a, "a graph");
}

Graph& InferContext::infer_body(const std::string& name, const std::function<void(Graph&)>& set_inputs) {
  check(infer_body_, "bodies cannot be inferred here");
  auto typed_body = std::make_shared<Graph>(deep_copy(body(name)));
  set_inputs(*typed_body);
  (*infer_body_)(*typed_body);
  graph_.nodes[size_t(node_.id)].attributes[name] = typed_body;
  return *typed_body;
}

void InferContext::set_body(const std::string& name, Attribute graph) {
  graph_.nodes[size_t(node_.id)].attributes[name] = std::move(graph);
}

bool InferContext::is_produced_by(int i, std::string_view op) const {
  const NodeId producer = input_value(i).producer;
  return producer >= 0 && graph_.nodes[size_t(producer)].op == op;
}

const Tensor* InferContext::fill(int i) const {
  if (!has_input(i) || !is_produced_by(i, "ConstantOfShape")) return nullptr;
  const auto& attributes = graph_.nodes[size_t(input_value(i).producer)].attributes;
  const auto value = attributes.find("value");
  const Tensor* element = value == attributes.end() ? nullptr : std::get_if<Tensor>(&value->second);
  return element && element->elements() == 1 ? element : nullptr;
}

const Attribute* InferContext::attribute(const std::string& name) const {
  auto it = node_.attributes.find(name);
  return it == node_.attributes.end() ? nullptr : &it->second;
}

bool InferContext::has(const std::string& name) const { return attribute(name) != nullptr; }

int64_t InferContext::integer(const std::string& name) const {
  const Attribute* a = attribute(name);
  if (!a) fail_invalid(fmt::format("attribute '{}' is missing", name));
  return typed<int64_t>(*this, name, *a, "an integer");
}

int64_t InferContext::integer(const std::string& name, int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}

float InferContext::number(const std::string& name, float otherwise) const {
  const Attribute* a = attribute(name);
  return a ? typed<float>(*this, name, *a, "a float") : otherwise;
}

std::string InferContext::text(const std::string& name, const std::string& otherwise) const {
  const Attribute* a = attribute(name);
  return a ? typed<std::string>(*this, name, *a, "a string") : otherwise;
}

std::vector<int64_t> InferContext::integers(const std::string& name) const {
  const Attribute* a = attribute(name);
  if (!a) fail_invalid(fmt::format("attribute '{}' is missing", name));
  return typed<std::vector<int64_t>>(*this, name, *a, "a list of integers");
}

std::vector<int64_t> InferContext::integers(const std::string& name, std::vector<int64_t> otherwise) const {
  return has(name) ? integers(name) : otherwise;
}

void InferContext::set_host_output(int i, HostType type) {
  if (!has_output(i)) return;
  graph_.value(node_.outputs[size_t(i)]).host = std::move(type);
}

void InferContext::set_output(int i, DType dtype, Shape shape) {
  if (!has_output(i)) return;
  for (const IndexExpr& d : shape) {
    if (d.is_constant() && d.constant() < 0)
      fail(fmt::format("output {} would have the shape {}", i, to_string(shape)));
  }
  graph_.value(node_.outputs[i]).type = TensorType{dtype, std::move(shape)};
}

void InferContext::set_contents(int i, std::vector<IndexExpr> contents) {
  if (has_output(i)) graph_.value(node_.outputs[i]).contents = std::move(contents);
}

std::string InferContext::message(const std::string& what) const {
  std::string domain = node_.domain.empty() ? "" : node_.domain + ".";
  return one_line(fmt::format("node '{}' ({}{}, opset {}): {}", node_.name, domain, node_.op, node_.opset, what));
}

void InferContext::fail(const std::string& what) const { throw UserError(message(what)); }

void InferContext::fail_invalid(const std::string& what) const { throw InvalidNode(message(what)); }

void InferContext::fail_unequal(IndexExpr a, IndexExpr b, const std::string& what) const {
  throw UnequalDimensions(message(what), a, b);
}

ir::BufferId LowerContext::input_buffer(int i) const {
  input(i);
  return buffer_of_(node_.inputs[i]);
}

ir::BufferId LowerContext::output_buffer(int i) const { return buffer_of_(node_.outputs.at(i)); }

const TensorType& LowerContext::output(int i) const { return *graph_.value(node_.outputs.at(i)).type; }

ir::BufferId LowerContext::temporary(DType dtype, Shape shape) {
  return program_.add_buffer(node_.name, dtype, std::move(shape), ir::BufferKind::temporary);
}

ir::BufferId LowerContext::constant_buffer(Tensor t) {
  Shape shape(t.dims.begin(), t.dims.end());
  return program_.add_buffer(node_.name, t.dtype, std::move(shape), ir::BufferKind::constant, t.data);
}

std::vector<ir::Loop> LowerContext::loops(const Shape& shape, const std::string& prefix) {
  std::vector<ir::Loop> out;
  for (const IndexExpr& extent : shape) out.push_back({index().loop(prefix, extent), extent});
  return out;
}

std::vector<IndexExpr> LowerContext::indices(const std::vector<ir::Loop>& loops) {
  std::vector<IndexExpr> out;
  for (const ir::Loop& l : loops) out.push_back(l.var);
  return out;
}

ir::Expr LowerContext::load(ir::BufferId buffer, std::vector<IndexExpr> indices) {
  return exprs().load(buffer, program_.buffer(buffer).type, std::move(indices));
}

// The index is a product, which moves evenly, by 1 or not at all, which loops over lanes know
// (schedule::moves_by_one_or_none).
IndexExpr broadcast_index(IndexExpr at, IndexExpr extent) {
  if (extent.is_constant(1)) return {};
  const ir::IndexNode* loop = at.node();
  const bool is_loop = loop && loop->op == ir::IndexOp::variable && loop->kind == ir::VarKind::loop;
  const bool same = is_loop ? ir::prove_equal(loop->extent, extent) : !ir::depends_on_fresh_symbols(extent);
  return same ? at : at * ir::min(extent - 1, 1);
}

ir::Expr LowerContext::load_broadcast(int i, const std::vector<IndexExpr>& output_index) {
  const Shape& from = shape(i);
  check(from.size() <= output_index.size(), "a broadcast operand has more dimensions than the result");
  size_t skipped = output_index.size() - from.size();
  std::vector<IndexExpr> at;
  for (size_t d = 0; d < from.size(); ++d) at.push_back(broadcast_index(output_index[skipped + d], from[d]));
  return load(input_buffer(i), std::move(at));
}

void LowerContext::emit(ir::LoopNest nest) {
  std::string name = identifier_of(node_.op);
  nest.name = nest.name.empty() ? name : name + "_" + nest.name;
  nest.origins = {node_.name};
  program_.statements.emplace_back(std::move(nest));
}

void LowerContext::emit(ir::LibraryCall call) {
  call.origins = {node_.name};
  program_.statements.emplace_back(std::move(call));
}

static void store_zeros(LowerContext& c, ir::BufferId to) {
  const ir::Expr zero = c.exprs().zero(ir::value_type(c.program().buffer(to).type));
  c.emit_pointwise(
      to, [&](const auto&) { return zero; }, "nothing");
}

// A result of no steps has no elements.
static void store_no_steps(LowerContext& c, const std::vector<ir::Statement>& statements) {
  const auto store = [&](ir::BufferId b) {
    const Shape& shape = c.program().buffer(b).shape;
    if (std::any_of(shape.begin(), shape.end(), [](IndexExpr d) { return d.is_constant(0); })) store_zeros(c, b);
  };
  for (const ir::Statement& s : statements) {
    if (const auto* nest = std::get_if<ir::LoopNest>(&s))
      for (const ir::Store& stored : nest->stores) store(stored.buffer);
    if (const auto* call = std::get_if<ir::LibraryCall>(&s))
      std::for_each(call->outputs.begin(), call->outputs.end(), store);
    if (const auto* inner = std::get_if<ir::Repetition>(&s)) store_no_steps(c, inner->body);
  }
}

void LowerContext::repeat(ir::Repetition repetition, const std::function<void()>& body) {
  std::vector<ir::Statement> before = std::move(program_.statements);
  program_.statements.clear();
  body();
  repetition.body = std::move(program_.statements);
  repetition.origins = {node_.name};
  program_.statements = std::move(before);
  if (!repetition.steps.is_constant(0)) {
    program_.statements.emplace_back(std::move(repetition));
    return;
  }
  for (const ir::Carried& state : repetition.carried)
    emit_pointwise(
        state.after, [&](const auto& at) { return load(state.initial, at); }, "state");
  store_no_steps(*this, repetition.body);
}

void LowerContext::emit_pointwise(ir::BufferId output, const ValueAt& value, const std::string& name) {
  ir::LoopNest nest;
  nest.name = name;
  nest.loops = loops(program_.buffer(output).shape);
  std::vector<IndexExpr> at = indices(nest.loops);
  nest.stores.push_back({output, at, value(at)});
  emit(std::move(nest));
}

}  // namespace cppgen::ops
