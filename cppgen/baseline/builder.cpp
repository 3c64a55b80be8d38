#include "cppgen/baseline/builder.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::baseline {
namespace {

bool same_place(const Operand& a, const Operand& b) { return a.buffer == b.buffer && a.offset == b.offset; }

Desc bytes_desc(size_t bytes) {
  return Desc({int64_t(std::max<size_t>(bytes, 1))}, dnnl::memory::data_type::u8, Dims{1});
}

size_t byte_count(const Value& value) {
  size_t bytes = size_of(value.type->dtype);
  for (int64_t extent : dims_of(value)) bytes *= size_t(extent);
  return bytes;
}

}  // namespace

std::vector<int64_t> dims_of(const Value& value) {
  std::vector<int64_t> dims;
  for (const IndexExpr& extent : value.type->shape) dims.push_back(extent.constant());
  return dims;
}

bool is_float_tensor(const Value& value) {
  const auto dims = dims_of(value);
  return value.type->dtype == DType::f32 && dims.size() <= DNNL_MAX_NDIMS &&
         std::find(dims.begin(), dims.end(), 0) == dims.end();
}

Border border_of(const Graph& graph, const std::vector<NodeId>& group) {
  std::vector<bool> in_group(graph.nodes.size());
  for (NodeId id : group) in_group[size_t(id)] = true;
  const auto inside = [&](NodeId id) { return id >= 0 && in_group[size_t(id)]; };
  std::vector<bool> read_outside(graph.values.size());
  for (ValueId out : graph.outputs) read_outside[size_t(out)] = true;
  for (const Node& node : graph.nodes)
    if (!inside(node.id))
      for (ValueId in : node.inputs)
        if (in != kNoValue) read_outside[size_t(in)] = true;
  Border border;
  const auto add = [](std::vector<ValueId>& to, ValueId v) {
    if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  for (NodeId id : group) {
    for (ValueId in : graph.nodes[size_t(id)].inputs)
      if (in != kNoValue && !graph.value(in).constant && !inside(graph.value(in).producer)) add(border.inputs, in);
    for (ValueId out : graph.nodes[size_t(id)].outputs)
      if (out != kNoValue && read_outside[size_t(out)]) add(border.outputs, out);
  }
  return border;
}

Dims Builder::dims(ValueId v) const {
  const auto dims = dims_of(graph_.value(v));
  return dims.empty() ? Dims{1} : Dims(dims.begin(), dims.end());
}

BufferId Builder::add_buffer(Buffer buffer) {
  program_.buffers.push_back(std::move(buffer));
  return BufferId(program_.buffers.size()) - 1;
}

Operand Builder::get(ValueId v) {
  if (const auto known = values_.find(v); known != values_.end()) return known->second;
  const Value& value = graph_.value(v);
  Buffer buffer;
  buffer.bytes = byte_count(value);
  if (value.constant) {
    buffer.constant = value.constant->data.bytes, buffer.keep_alive = value.constant->data.owner;
  } else {
    const auto at = std::find(graph_.inputs.begin(), graph_.inputs.end(), v);
    check(at != graph_.inputs.end(), "OnednnGraph: a value is used before its definition");
    buffer.input = int(at - graph_.inputs.begin());
  }
  const Desc desc = is_float_tensor(value) ? row_major(dims(v)) : bytes_desc(buffer.bytes);
  const Operand operand{desc, add_buffer(std::move(buffer)), 0};
  set(v, operand);
  return operand;
}

void Builder::set(ValueId v, const Operand& operand) {
  values_[v] = operand;
  values_in_[operand.buffer]++;
}

Operand Builder::fresh(const Desc& desc) {
  Buffer buffer;
  buffer.bytes = desc.get_size();
  return {desc, add_buffer(std::move(buffer)), 0};
}

Operand Builder::raw(ValueId v) {
  const Value& value = graph_.value(v);
  const Operand operand = fresh(is_float_tensor(value) ? row_major(dims(v)) : bytes_desc(byte_count(value)));
  program_.buffers.back().bytes = byte_count(value);
  return operand;
}

Operand Builder::laid_out(const Operand& operand, const Desc& desc) {
  if (same_layout(operand.desc, desc)) return {desc, operand.buffer, operand.offset};
  for (const auto& [from, to] : reordered_)
    if (same_place(from, operand) && same_layout(from.desc, operand.desc) && same_layout(to.desc, desc)) return to;
  const bool constant = program_.buffers[size_t(operand.buffer)].constant != nullptr;
  const Operand result = constant ? reordered_now(operand, desc) : fresh(desc);
  if (!constant) add_reorder(operand, result);
  reordered_.emplace_back(operand, result);
  return result;
}

Operand Builder::reordered_now(const Operand& operand, const Desc& desc) {
  auto memory = aligned_memory(desc.get_size());
  const auto* bytes = static_cast<const char*>(program_.buffers[size_t(operand.buffer)].constant) + operand.offset;
  dnnl::memory from(operand.desc, engine_, const_cast<char*>(bytes)), to(desc, engine_, memory.get());
  dnnl::stream stream(engine_);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  Buffer buffer;
  buffer.bytes = desc.get_size(), buffer.constant = memory.get(), buffer.keep_alive = memory;
  return {desc, add_buffer(std::move(buffer)), 0};
}

Operand Builder::viewed(const Operand& operand, const Dims& dims) {
  if (const auto view = reshaped(operand.desc, dims)) return {*view, operand.buffer, operand.offset};
  const Operand dense =
      is_plain(operand.desc) ? laid_out(operand, reshapable(operand.desc, dims)) : in_row_major(operand);
  return {*reshaped(dense.desc, dims), dense.buffer, dense.offset};
}

std::optional<Operand> Builder::take_over(ValueId value, const Operand& operand) {
  const Buffer& buffer = program_.buffers[size_t(operand.buffer)];
  const bool whole = operand.offset == 0 && operand.desc.get_size() == buffer.bytes;
  if (users_.count(value) != 1 || values_in_[operand.buffer] != 1 || !buffer.is_temporary() || !whole)
    return std::nullopt;
  Buffer successor;
  successor.bytes = buffer.bytes, successor.in_place_of = operand.buffer;
  return Operand{operand.desc, add_buffer(std::move(successor)), 0};
}

void Builder::name_nodes(const Unit& unit, contenders::StepReport& report) const {
  for (NodeId id : unit.nodes) {
    report.nodes.push_back(node(id).name);
    report.operators.push_back(node(id).op);
  }
}

void Builder::add_primitive(const std::string& kind, const Unit& unit, dnnl::primitive primitive,
                            const char* implementation, const Desc& scratch,
                            std::vector<std::pair<int, Operand>> arguments) {
  Step step;
  step.report.kind = kind, step.report.implementation = implementation;
  name_nodes(unit, step.report);
  step.primitive = std::move(primitive);
  step.arguments = std::move(arguments);
  if (scratch.get_size() > 0) {
    program_.scratch_bytes = std::max(program_.scratch_bytes, scratch.get_size());
    step.arguments.emplace_back(DNNL_ARG_SCRATCHPAD, Operand{scratch, -1, 0});
  }
  program_.steps.push_back(std::move(step));
}

void Builder::add_reorder(const Operand& from, const Operand& to) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc pd(engine_, from.desc, engine_, to.desc, attributes);
  add<dnnl::reorder>("reorder", Unit{}, pd, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  program_.steps.back().kind = StepKind::reorder;
}

void Builder::add_copy(const Operand& from, const Operand& to) {
  Step step;
  step.kind = StepKind::copy;
  step.report.kind = "copy", step.report.ours = true;
  step.arguments = {{0, from}, {1, to}};
  program_.steps.push_back(std::move(step));
}

KernelTensor Builder::kernel_tensor(ValueId v, const Operand& at) const {
  return {v, graph_.value(v).type->dtype, dims_of(graph_.value(v)), at};
}

void Builder::add_kernels(const Unit& unit) {
  Step step;
  step.kind = StepKind::kernels;
  step.group = unit.nodes;
  const Border border = border_of(graph_, unit.nodes);
  for (ValueId in : border.inputs) {
    const Operand operand = get(in);
    step.inputs.push_back(kernel_tensor(in, is_float_tensor(graph_.value(in)) ? in_row_major(operand) : operand));
  }
  for (ValueId out : border.outputs) {
    set(out, raw(out));
    step.outputs.push_back(kernel_tensor(out, get(out)));
  }
  step.report.kind = "kernels", step.report.ours = true;
  name_nodes(unit, step.report);
  program_.steps.push_back(std::move(step));
}

bool Builder::can_be_output(const Operand& operand, ValueId v) const {
  const Buffer& storage = program_.buffers[size_t(program_.storage_of(operand.buffer))];
  return storage.is_temporary() && operand.offset == 0 && byte_count(graph_.value(v)) == storage.bytes &&
         (!is_float_tensor(graph_.value(v)) || is_row_major(operand.desc));
}

void Builder::add_output(int position, ValueId v) {
  const Operand operand = get(v);
  if (can_be_output(operand, v)) {
    program_.buffers[size_t(program_.storage_of(operand.buffer))].output = position;
    return;
  }
  const Operand to = raw(v);
  program_.buffers[size_t(to.buffer)].output = position;
  if (same_layout(operand.desc, to.desc))
    add_copy(operand, to);
  else
    add_reorder(operand, to);
}

}  // namespace cppgen::baseline
