#pragma once
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/ops/op.h"

namespace cppgen::ops_test {

using ir::HostTensor;

template <class T>
constexpr DType dtype_for() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, int8_t>) return DType::i8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::i16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::i64;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::u8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::u16;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::u32;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::u64;
  if constexpr (std::is_same_v<T, bool>) return DType::boolean;
}

template <class T>
HostTensor tensor(std::vector<int64_t> dims, const std::vector<T>& values) {
  HostTensor t{dtype_for<T>(), std::move(dims), {}};
  for (T v : values) {
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &v, sizeof(T));
    t.bytes.insert(t.bytes.end(), bytes, bytes + sizeof(T));
  }
  return t;
}

template <class T>
std::vector<T> values_of(const HostTensor& t) {
  std::vector<T> out;
  for (int64_t i = 0; i < t.elements(); ++i) out.push_back(t.as<T>()[i]);
  return out;
}

// Small numbers that repeat late; exact in every float type.
HostTensor ramp(std::vector<int64_t> dims, int64_t modulus = 17, double scale = 0.25);

struct NodeCase {
  std::string op;
  int opset = 17;
  std::map<std::string, Attribute> attributes{};
  std::vector<HostTensor> inputs{};
  std::vector<bool> constant{};  // inputs that are constants of the graph; missing entries: not
  std::vector<bool> absent{};    // inputs that are left out
  int outputs = 1;
  std::string domain{};
  NodeFacts facts{};
};

// A graph of this one node.
Graph graph_of(const NodeCase&);
// Inferred, lowered, verified.
ir::Program program_of(Graph&);
// ... and interpreted.
std::vector<HostTensor> run(const NodeCase&);
// The message of the UserError that the case gives, "" if none.
std::string error_of(const NodeCase&);

inline Attribute ints(std::vector<int64_t> v) { return v; }
inline Attribute integer(int64_t v) { return v; }

}  // namespace cppgen::ops_test
