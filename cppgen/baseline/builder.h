#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cppgen/baseline/program.h"
#include "cppgen/baseline/units.h"
#include "cppgen/graph/users.h"

namespace cppgen::baseline {

// Thrown if a unit cannot be built: oneDNN has no such primitive, or none with these post-operations.
struct Refusal {
  std::string why;
};

// The state of building for the mappings of operators: the locations of values, and the steps so far.
class Builder {
 public:
  Builder(Graph& graph, const dnnl::engine& engine) : graph_(graph), engine_(engine), users_(graph) {}

  Graph& graph() { return graph_; }
  const Users& users() const { return users_; }
  const dnnl::engine& engine() const { return engine_; }
  const Node& node(NodeId id) const { return graph_.nodes[size_t(id)]; }
  Dims dims(ValueId) const;  // {1} for a scalar

  // Values. `get` makes a buffer of a constant.
  Operand get(ValueId);
  void set(ValueId, const Operand&);

  // Returns the tensor in another layout: unchanged, as a constant that is reordered now, or by a step.
  Operand laid_out(const Operand&, const Desc&);
  Operand in_row_major(const Operand& operand) { return laid_out(operand, row_major(dims_of(operand.desc))); }
  Operand plain(const Operand& operand) { return is_plain(operand.desc) ? operand : in_row_major(operand); }
  Operand dense(const Operand& operand) { return is_dense(operand.desc) ? operand : in_row_major(operand); }
  Operand viewed(const Operand&, const Dims&);  // reshaped, after a reordering if needed

  Operand fresh(const Desc&);
  // A result in the memory of `operand`, if that tensor is not needed otherwise: `value` has no other reader.
  std::optional<Operand> take_over(ValueId value, const Operand& operand);

  // Appends a step. `arguments` hold operands by DNNL_ARG_...; the scratchpad is added.
  template <class Primitive, class PrimitiveDesc>
  void add(const std::string& kind, const Unit& unit, const PrimitiveDesc& pd,
           std::vector<std::pair<int, Operand>> arguments) {
    add_primitive(kind, unit, Primitive(pd), pd.impl_info_str(), pd.scratchpad_desc(), std::move(arguments));
  }
  void add_copy(const Operand& from, const Operand& to);
  // A group for our kernels, whose session is made later.
  void add_kernels(const Unit&);
  // The value as graph output `position`.
  void add_output(int position, ValueId);

  // A buffer that holds the value as the caller sees tensors.
  Operand raw(ValueId);

  Program take() { return std::move(program_); }

 private:
  BufferId add_buffer(Buffer);
  KernelTensor kernel_tensor(ValueId, const Operand&) const;
  Operand reordered_now(const Operand&, const Desc&);
  void name_nodes(const Unit&, contenders::StepReport&) const;
  void add_reorder(const Operand& from, const Operand& to);
  void add_primitive(const std::string& kind, const Unit&, dnnl::primitive, const char* implementation,
                     const Desc& scratch, std::vector<std::pair<int, Operand>>);
  bool can_be_output(const Operand&, ValueId) const;

  Graph& graph_;
  const dnnl::engine& engine_;
  const Users users_;
  Program program_;
  std::map<ValueId, Operand> values_;
  std::map<BufferId, int> values_in_;                   // number of values in a buffer
  std::vector<std::pair<Operand, Operand>> reordered_;  // done already
};

// The values that a group of nodes reads from others (without constants), and those that others read from it.
struct Border {
  std::vector<ValueId> inputs, outputs;
};
Border border_of(const Graph&, const std::vector<NodeId>& group);

bool is_float_tensor(const Value&);  // float32, not empty, of dimensions that oneDNN can describe
std::vector<int64_t> dims_of(const Value&);

}  // namespace cppgen::baseline
