#pragma once
#include <cstring>
#include <filesystem>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/states.h"
#include "cppgen/passes/pipeline.h"
#include "runtime/session/session.h"
#include "runtime/session/session_state.h"
#include "tests/passes/graph_maker.h"

// Decoders with caches of keys and values, and one run of them after another, with and without states.
namespace cppgen::decoding {

inline std::vector<double> numbers(int64_t count, uint32_t seed, double scale) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(scale * (double(seed >> 8) / (1 << 23) - 1));
  }
  return values;
}

struct DecoderForm {
  int layers = 2;
  int64_t heads = 2, head_size = 8;
  DType type = DType::f32;
  bool reads_past = false;  // another node reads the caches of the keys, too
};

// y [B, n, features] of x [B, n, features], with the inputs past_k0, past_v0 ... [B, heads, P, head_size] and the
// outputs present_k0 ... [B, heads, P + n, head_size].
class DecoderGraph {
 public:
  explicit DecoderGraph(const DecoderForm& form) : form_(form), batch_(g_.symbol("B")), past_(g_.symbol("P")) {
    ValueId x = g_.input("x", {batch_, g_.symbol("n"), features()}, form.type);
    for (int i = 0; i < form.layers; i++) x = layer(x, std::to_string(i));
    name(x, "y");
    g_.g.outputs.insert(g_.g.outputs.begin(), x);
  }
  Graph take() { return std::move(g_.g); }

 private:
  const DecoderForm form_;
  GraphMaker g_;
  const IndexExpr batch_, past_;
  uint32_t seed_ = 1;

  int64_t features() const { return form_.heads * form_.head_size; }
  ValueId name(ValueId v, const std::string& text) {
    g_.g.value(v).name = text;
    return v;
  }
  ValueId projected(ValueId x) {
    const int64_t n = features();
    return g_.node("MatMul", {x, g_.floats({n, n}, numbers(n * n, seed_++, 0.4), form_.type)});
  }
  ValueId heads_of(ValueId x) {
    const ValueId apart = g_.node("Reshape", {x, g_.ints({0, 0, form_.heads, form_.head_size})});
    return g_.node("Transpose", {apart}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  }
  ValueId cached(ValueId fresh, const std::string& which) {
    const ValueId past = g_.input("past_" + which, {batch_, form_.heads, past_, form_.head_size}, form_.type);
    const ValueId all = g_.node("Concat", {past, fresh}, {{"axis", int64_t{2}}});
    g_.output(name(all, "present_" + which));
    if (form_.reads_past && which[0] == 'k')
      g_.output(name(g_.node("ReduceSum", {past, g_.ints({2})}, {{"keepdims", int64_t{0}}}), "sum_" + which));
    return all;
  }
  ValueId layer(ValueId x, const std::string& number) {
    const ValueId q = heads_of(projected(x)), k = cached(heads_of(projected(x)), "k" + number),
                  v = cached(heads_of(projected(x)), "v" + number);
    const ValueId keys = g_.node("Transpose", {k}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const ValueId scores = g_.node("Softmax", {g_.node("MatMul", {q, keys})}, {{"axis", int64_t{-1}}});
    const ValueId mixed =
        g_.node("Transpose", {g_.node("MatMul", {scores, v})}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    const ValueId flat = g_.node("Reshape", {mixed, g_.ints({0, 0, features()})});
    return g_.node("Add", {x, projected(flat)});
  }
};

inline std::vector<StateOption> states_of(int layers, int64_t capacity) {
  std::vector<StateOption> states;
  for (int i = 0; i < layers; i++)
    for (const char* which : {"k", "v"})
      states.push_back({fmt::format("present_{}{}", which, i), fmt::format("past_{}{}", which, i), capacity});
  return states;
}

inline CompiledModel compiled(Graph graph, const std::vector<StateOption>& states) {
  CompileRequest request;
  request.model = "decoder.onnx";
  request.settings = Settings::from_environment();
  request.states = states;
  note_states(graph, states);
  passes::run_passes(graph, {});
  return compile_graph(std::move(graph), request);
}

inline std::unique_ptr<rt::Session> session_of(Graph graph, const std::vector<StateOption>& states, int threads = 1) {
  const CompiledModel model = compiled(std::move(graph), states);
  rt::SessionOptions options;
  options.threads = threads;
  return std::make_unique<rt::Session>(rt::Executable::load(model.package, {}), options);
}

inline rt::Tensor tensor(DType type, std::vector<int64_t> dims, uint32_t seed) {
  const ir::HostTensor values = sample(type, dims, seed);
  rt::Tensor made(type, std::move(dims));
  if (made.bytes() > 0) std::memcpy(made.data(), values.bytes.data(), values.bytes.size());
  return made;
}

inline std::vector<rt::TensorView> views(const std::vector<rt::Tensor>& tensors) {
  std::vector<rt::TensorView> all;
  for (const rt::Tensor& t : tensors) all.push_back(t.view());
  return all;
}

inline size_t input_of(const rt::Plan& plan, const std::string& name) {
  for (size_t i = 0; i < plan.inputs.size(); i++)
    if (plan.inputs[i].name == name) return i;
  throw std::runtime_error("there is no input " + name);
}

inline void expect_same(const rt::Tensor& a, const rt::Tensor& b, const std::string& what) {
  ASSERT_EQ(a.dims(), b.dims()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), size_t(a.bytes())), 0) << what;
}

// A sequence of runs of a model with states next to the same runs without, which hand over what they return.
class Sequence {
 public:
  Sequence(rt::Session& kept, rt::Session& plain, int64_t batch)
      : kept_(kept), plain_(plain), state_(kept.make_state()) {
    for (const rt::KeptState& s : kept.plan().states) {
      const rt::TensorInfo& info = kept.plan().inputs[size_t(s.past)];
      std::vector<int64_t> dims;
      for (const rt::DimExpr& dim : info.dims) dims.push_back(dim.code[0] ? batch : dim.code[1]);
      dims[size_t(s.axis)] = 0;
      past_.emplace_back(info.type, dims);
    }
  }

  // Runs both with these inputs, which are no states, and expects the same bits of all results.
  void step(const std::vector<rt::Tensor>& inputs) {
    std::vector<rt::TensorView> all;
    for (size_t i = 0, next = 0, at = 0; i < plain_.plan().inputs.size(); i++)
      all.push_back(rt::state_of_input(kept_.plan(), int64_t(i)) ? past_[at++].view() : inputs[next++].view());
    std::vector<rt::Tensor> expected = plain_.run(all);
    std::vector<rt::Tensor> found = kept_.run(*state_, views(inputs));
    size_t next = 0, at = 0;
    for (size_t i = 0; i < expected.size(); i++) {
      const bool is_state = rt::state_of_output(kept_.plan(), int64_t(i)) != nullptr;
      if (!is_state) expect_same(found.at(next++), expected[i], kept_.plan().outputs[i].name);
      if (is_state) past_[at++] = std::move(expected[i]);
    }
    EXPECT_EQ(next, found.size());
    expect_contents();
  }

  // Both forget the last positions.
  void roll_back(int64_t length) {
    state_->set_length(length);
    for (size_t i = 0; i < past_.size(); i++) past_[i] = state_->read(i);
  }

  void expect_contents() {
    for (size_t i = 0; i < past_.size(); i++) expect_same(state_->read(i), past_[i], "the contents of a state");
  }

  rt::SessionState& state() { return *state_; }

 private:
  rt::Session &kept_, &plain_;
  std::unique_ptr<rt::SessionState> state_;
  std::vector<rt::Tensor> past_;  // in the order of the states, which is that of the inputs and outputs here
};

}  // namespace cppgen::decoding
