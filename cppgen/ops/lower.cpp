#include <algorithm>
#include <cstring>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"

namespace cppgen::ops {
namespace {

// The bytes of integer contents in their element type.
ir::ConstantData encode(DType dtype, const std::vector<IndexExpr>& contents, std::vector<int64_t> dims) {
  size_t width = size_of(dtype);
  std::vector<std::byte> bytes(width * contents.size());
  for (size_t i = 0; i < contents.size(); ++i) {
    int64_t value = contents[i].constant();
    std::memcpy(bytes.data() + i * width, &value, width);  // little endian: the low bytes come first
  }
  return make_tensor(dtype, std::move(dims), std::move(bytes)).data;
}

void store_nothing(LowerContext& c) {
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    const DType type = ir::value_type(c.output(i).dtype);
    const ir::Expr none = c.exprs().zero(type);
    c.emit_pointwise(
        c.output_buffer(i), [&](const auto&) { return none; }, "nothing");
  }
}

class Lowering {
 public:
  Lowering(Graph& graph, ir::Program& program, const LowerOptions& options)
      : graph_(graph), program_(program), options_(options), buffers_(graph.values.size(), -1) {
    program_.index = graph.index;
  }

  void add_input(ValueId v) {
    buffers_[v] = add_buffer(v, ir::BufferKind::input);
    if (const auto& preset = graph_.value(v).preset) program_.buffers[size_t(buffers_[v])].data = preset->data;
    program_.inputs.push_back(buffers_[v]);
  }
  // The producer of `v` stores into an output of the program.
  void add_produced_output(ValueId v) {
    buffers_[v] = add_buffer(v, ir::BufferKind::output);
    program_.outputs.push_back(buffers_[v]);
  }
  void set_input(ValueId v, ir::BufferId b) { buffers_[v] = b; }
  ir::BufferId output(ValueId v) { return buffer_of(v); }
  bool has_buffer(ValueId v) const { return buffers_[v] >= 0; }
  void add_copied_output(ValueId);
  void lower_node(const Node&);

 private:
  bool stores_nothing(const Node&) const;
  ir::BufferId buffer_of(ValueId);
  ir::BufferId store_contents(const Value&);
  ir::BufferId add_buffer(ValueId v, ir::BufferKind kind) {
    const Value& value = graph_.value(v);
    check(value.type.has_value(), "lowering needs the types of all values");
    return program_.add_buffer(value.name, value.type->dtype, value.type->shape, kind);
  }

  Graph& graph_;
  ir::Program& program_;
  LowerOptions options_;
  std::vector<ir::BufferId> buffers_;
};

ir::BufferId Lowering::buffer_of(ValueId v) {
  if (buffers_[v] >= 0) return buffers_[v];
  const Value& value = graph_.value(v);
  if (value.constant) {
    const Tensor& t = *value.constant;
    buffers_[v] =
        program_.add_buffer(value.name, t.dtype, Shape(t.dims.begin(), t.dims.end()), ir::BufferKind::constant, t.data);
  } else {
    check(value.contents.has_value(), "a value is read before it is lowered");
    buffers_[v] = store_contents(value);
  }
  return buffers_[v];
}

ir::BufferId Lowering::store_contents(const Value& value) {
  const std::vector<IndexExpr>& contents = *value.contents;
  DType dtype = value.type->dtype;
  std::vector<int64_t> dims;
  for (const IndexExpr& d : value.type->shape) dims.push_back(d.constant());
  if (std::all_of(contents.begin(), contents.end(), [](const IndexExpr& e) { return e.is_constant(); })) {
    return program_.add_buffer(value.name, dtype, value.type->shape, ir::BufferKind::constant,
                               encode(dtype, contents, dims));
  }
  ir::BufferId buffer = program_.add_buffer(value.name, dtype, value.type->shape, ir::BufferKind::temporary);
  ir::LoopNest nest;
  nest.name = "shape_values";
  if (value.producer >= 0) nest.origins = {graph_.nodes[value.producer].name};
  for (size_t i = 0; i < contents.size(); ++i) {
    std::vector<IndexExpr> at(dims.size());
    for (size_t d = dims.size(), rest = i; d-- > 0; rest /= size_t(dims[d])) at[d] = int64_t(rest % size_t(dims[d]));
    ir::Expr element = program_.exprs->index(contents[i]);
    if (dtype != DType::i64) element = program_.exprs->cast(dtype, element);
    nest.stores.push_back({buffer, at, element});
  }
  program_.statements.emplace_back(std::move(nest));
  return buffer;
}

void Lowering::add_copied_output(ValueId v) {
  ir::BufferId from = buffer_of(v), to = add_buffer(v, ir::BufferKind::output);
  program_.outputs.push_back(to);
  ir::LoopNest nest;
  nest.name = "copy_output";
  for (const IndexExpr& extent : graph_.value(v).type->shape) {
    nest.loops.push_back({graph_.index->loop("i", extent), extent});
  }
  std::vector<IndexExpr> at = LowerContext::indices(nest.loops);
  nest.stores.push_back({to, at, program_.exprs->load(from, program_.buffer(from).type, at)});
  program_.statements.emplace_back(std::move(nest));
}

// Results without elements need no computing, and have no elements to read for it.
bool Lowering::stores_nothing(const Node& node) const {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) {
    if (v == kNoValue) return true;
    const Shape& shape = graph_.value(v).type->shape;
    return std::any_of(shape.begin(), shape.end(), [](IndexExpr d) { return d.is_constant(0); });
  });
}

void Lowering::lower_node(const Node& node) {
  for (ValueId v : node.outputs) {
    if (v != kNoValue && buffers_[v] < 0) buffers_[v] = add_buffer(v, ir::BufferKind::temporary);
  }
  const Op* op = find(graph_, node);
  LowerContext c(
      graph_, node, program_, [this](ValueId v) { return buffer_of(v); }, options_.library);
  if (!op) c.fail("the operator is not supported");
  if (node.facts.resolves) return op->resolve(c, c.output_buffer(0));
  if (!op->lower) c.fail("the operator is run by the host, not by a kernel");
  if (stores_nothing(node)) return store_nothing(c);
  op->lower(c);
}

bool is_known(const Value& v) { return v.constant || v.contents; }

// A node is omitted if all that it computes is known.
bool is_needed(const Graph& g, const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId v) { return v != kNoValue && !is_known(g.value(v)); });
}

}  // namespace

ir::Program lower(Graph& g, const LowerOptions& options) {
  ir::Program program;
  Lowering lowering(g, program, options);
  for (ValueId v : g.inputs) lowering.add_input(v);
  // Buffers of outputs come first, so that producers find them; copies are made at the end.
  std::vector<ValueId> copied;
  for (ValueId v : g.outputs) {
    bool produced = g.value(v).producer >= 0 && !is_known(g.value(v)) && !lowering.has_buffer(v);
    if (produced) {
      lowering.add_produced_output(v);
    } else {
      copied.push_back(v);
      program.outputs.push_back(-1);
    }
  }
  for (const Node& node : g.nodes) {
    if (is_needed(g, node)) lowering.lower_node(node);
  }
  size_t slot = 0;
  for (ValueId v : copied) {
    lowering.add_copied_output(v);
    ir::BufferId id = program.outputs.back();
    program.outputs.pop_back();
    while (program.outputs[slot] >= 0) ++slot;
    program.outputs[slot] = id;
  }
  return program;
}

std::vector<ir::BufferId> lower_body(Graph& body, ir::Program& program, const std::vector<ir::BufferId>& inputs,
                                     const LowerOptions& options) {
  Lowering lowering(body, program, options);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] >= 0) lowering.set_input(body.inputs[i], inputs[i]);
  for (const Node& node : body.nodes)
    if (is_needed(body, node)) lowering.lower_node(node);
  std::vector<ir::BufferId> outputs;
  for (ValueId v : body.outputs) outputs.push_back(lowering.output(v));
  return outputs;
}

ir::Program lower_node(Graph& g, NodeId id, bool keep_constants) {
  ir::Program program;
  Lowering lowering(g, program, {});
  const Node& node = g.nodes.at(id);
  for (ValueId v : node.inputs) {
    if (v == kNoValue || lowering.has_buffer(v) || (keep_constants && g.value(v).constant)) continue;
    lowering.add_input(v);
  }
  for (ValueId v : node.outputs) {
    if (v != kNoValue) lowering.add_produced_output(v);
  }
  lowering.lower_node(node);
  return program;
}

}  // namespace cppgen::ops
