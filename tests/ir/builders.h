#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "cppgen/ir/interpreter/interpreter.h"

namespace cppgen::ir {

// Short forms for writing programs in tests.

struct NestBuilder {
  Program& p;
  LoopNest nest;

  explicit NestBuilder(Program& program, std::string name = "nest") : p(program) {
    nest.name = std::move(name);
    nest.origins = {"the_node"};
  }
  IndexExpr loop(const char* prefix, IndexExpr extent) { return add(nest.loops, prefix, extent); }
  IndexExpr reduce(const char* prefix, IndexExpr extent) { return add(nest.reduced, prefix, extent); }
  Expr reduction(ReduceOp op, Expr value, IndexExpr position = {}, bool last = false) {
    const bool arg = op == ReduceOp::argmin || op == ReduceOp::argmax;
    nest.reductions.push_back({op, arg ? DType::i64 : value->type, value, position, last});
    return p.exprs->accumulator(static_cast<int>(nest.reductions.size()) - 1, nest.reductions.back().type);
  }
  void store(BufferId buffer, std::vector<IndexExpr> indices, Expr value) {
    nest.stores.push_back({buffer, std::move(indices), value});
  }
  void done() { p.statements.push_back(nest); }

 private:
  IndexExpr add(std::vector<Loop>& loops, const char* prefix, IndexExpr extent) {
    const IndexExpr var = p.index->loop(prefix, extent);
    loops.push_back({var, extent});
    return var;
  }
};

inline BufferId input(Program& p, const char* name, DType type, std::vector<IndexExpr> shape) {
  p.inputs.push_back(p.add_buffer(name, type, std::move(shape), BufferKind::input));
  return p.inputs.back();
}

inline BufferId output(Program& p, const char* name, DType type, std::vector<IndexExpr> shape) {
  p.outputs.push_back(p.add_buffer(name, type, std::move(shape), BufferKind::output));
  return p.outputs.back();
}

inline Expr load(Program& p, BufferId b, std::vector<IndexExpr> indices) {
  return p.exprs->load(b, p.buffer(b).type, std::move(indices));
}

template <class T>
std::shared_ptr<std::vector<T>> shared_values(std::vector<T> values) {
  return std::make_shared<std::vector<T>>(std::move(values));
}

template <class T>
BufferId constant(Program& p, DType type, std::vector<IndexExpr> shape, std::vector<T> values) {
  auto owner = shared_values(std::move(values));
  const ConstantData data{owner, owner->data(), owner->size() * sizeof(T)};
  return p.add_buffer("constant", type, std::move(shape), BufferKind::constant, data);
}

template <class T>
HostTensor tensor(DType type, std::vector<int64_t> dims, const std::vector<T>& values) {
  HostTensor t{type, std::move(dims), {}};
  t.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

template <class T>
std::vector<T> values_of(const HostTensor& t) {
  return {t.as<T>(), t.as<T>() + t.elements()};
}

// The same small pseudo-random floats everywhere, in [-2, 2).
inline std::vector<float> noise(int64_t count, uint32_t seed) {
  std::vector<float> v(static_cast<size_t>(count));
  for (float& x : v) {
    seed = seed * 1664525 + 1013904223;
    x = static_cast<float>(seed >> 16) / 16384.0f - 2.0f;
  }
  return v;
}

// y[i] = f(x[i]) over one dimension.
template <class F>
HostTensor map_values(const HostTensor& x, DType result, F f) {
  Program p;
  const IndexExpr n = p.index->symbol("N");
  const BufferId a = input(p, "x", x.type, {n}), y = output(p, "y", result, {n});
  NestBuilder b(p);
  const IndexExpr i = b.loop("i", n);
  b.store(y, {i}, f(*p.exprs, load(p, a, {i})));
  b.done();
  verify(p);
  return interpret(p, {x})[0];
}

}  // namespace cppgen::ir
