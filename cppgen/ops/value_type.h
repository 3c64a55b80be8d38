#pragma once
#include <optional>
#include <set>
#include <string>

#include "cppgen/graph/host_dims.h"
#include "cppgen/ops/op.h"

namespace cppgen::ops {

// The type of any value while types of control flow are inferred: a tensor, or a value that only the host handles.
struct ValueType {
  std::optional<TensorType> tensor;
  std::optional<HostType> host;

  static ValueType of(const Value& v) { return {v.type, v.host}; }
  bool operator==(const ValueType&) const = default;
};

void set_type(Value&, const ValueType&);
void set_output_type(InferContext&, int output, const ValueType&);

// Dimensions as numbers; -1 for expressions.
std::vector<int64_t> known_dims(const Shape&);
// The host's type of a tensor.
HostType as_host(const ValueType&);
inline HostType host_type_of(const InferContext& c, int i) { return as_host(ValueType::of(c.input_value(i))); }

// Names of the symbols in the types and contents of the node's inputs: expressions in other symbols are meaningless
// outside a body.
std::set<std::string> visible_symbols(const InferContext&);

// A type that covers both. Dimensions of tensors that differ, or are meaningless outside, become `unknown(d)`.
ValueType join_types(InferContext&, const char* what, const ValueType& a, const ValueType& b,
                     const std::set<std::string>& visible, const std::function<IndexExpr(size_t d)>& unknown);
bool has_dims(const HostType&);
bool is_nothing(const HostType&);
std::vector<int64_t> possible_ranks(const HostType&);  // none if they are unknown
bool is_unranked(const Value&);                        // a tensor whose number of dimensions is known only at run time
bool is_nothing(const Value&);                         // a tensor that no run produces
HostType with_rank_moved(HostType, int64_t by);        // if the dimensions are unknown

HostType join_host(InferContext&, const char* what, const HostType& a, const HostType& b);

// A tensor of this type as an output: of known rank with new symbols, else the host's.
void set_tensor_output(InferContext&, int output, const HostType& element);

}  // namespace cppgen::ops
