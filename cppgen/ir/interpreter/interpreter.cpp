#include "cppgen/ir/interpreter/interpreter.h"

#include <algorithm>

#include "cppgen/ir/interpreter/nest_interpreter.h"
#include "cppgen/ir/program/producers.h"
#include "cppgen/ir/text/print_expr.h"
#include "runtime/base/checked.h"
#include "runtime/base/usable_memory.h"

namespace cppgen::ir {

int64_t HostTensor::elements() const {
  int64_t n = 1;
  for (int64_t d : dims) n = checked_mul(n, d, "elements of a tensor");
  return n;
}

namespace {

class Symbols {
 public:
  explicit Symbols(const SymbolValues& given) : values_(given) {}

  void bind(const IndexNode& symbol, int64_t value, const std::string& where) {
    const auto [at, added] = values_.try_emplace(symbol.name, value);
    if (!added && at->second != value)
      user_error("{}: the dimension {} is {}, but elsewhere it is {}", where, symbol.name, value, at->second);
    if (value < symbol.range.lo || value > symbol.range.hi)
      user_error("{}: the dimension {} is {}, allowed is {} to {}", where, symbol.name, value, symbol.range.lo,
                 symbol.range.hi);
  }

  void set(const IndexNode& symbol, int64_t value) { values_[symbol.name] = value; }

  bool knows(const IndexNode& symbol) const { return values_.count(symbol.name) != 0; }

  int64_t operator()(const IndexNode& symbol) const {
    const auto found = values_.find(symbol.name);
    if (found == values_.end())
      user_error("the dimension {} does not follow from any input: its value is required", symbol.name);
    return found->second;
  }

 private:
  SymbolValues values_;
};

class ProgramRun {
 public:
  ProgramRun(const Program& program, const SymbolValues& symbols, const LibraryTable& library, int64_t max_bytes)
      : program_(program),
        library_(library),
        max_bytes_(max_bytes),
        symbols_(symbols),
        env_([this](const IndexNode& v) { return symbols_(v); }),
        tensors_(program.buffers.size()),
        views_(program.buffers.size()),
        last_use_(program.buffers.size(), -1) {}

  std::vector<HostTensor> run(const std::vector<HostTensor>& inputs) {
    take_inputs(inputs);
    take_constants();
    find_last_uses();
    for (size_t i = 0; i < program_.statements.size(); i++) {
      run_statement(program_.statements[i]);
      release_after(static_cast<int>(i));
    }
    std::vector<HostTensor> outputs;
    for (size_t i = 0; i < program_.outputs.size(); i++) outputs.push_back(taken(i));
    return outputs;
  }

 private:
  const Program& program_;
  const LibraryTable& library_;
  const int64_t max_bytes_;
  int64_t bytes_ = 0;  // of the inputs and of the tensors that are stored now
  Symbols symbols_;
  IndexEnv env_;
  std::vector<HostTensor> tensors_;  // of stored buffers
  std::vector<TensorView> views_;
  std::vector<int> last_use_;  // statement that reads or stores the buffer last

  static std::string named(const Buffer& b) { return "input " + quoted(b.name); }

  void take_inputs(const std::vector<HostTensor>& inputs) {
    if (inputs.size() != program_.inputs.size())
      user_error("the model has {} inputs, but {} are given", program_.inputs.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) take_input(program_.buffer(program_.inputs[i]), inputs[i]);
    for (size_t i = 0; i < inputs.size(); i++) check_dims(program_.buffer(program_.inputs[i]), inputs[i]);
  }

  void take_input(const Buffer& b, const HostTensor& t) {
    if (t.type != b.type) user_error("{} has type {}, not {}", named(b), name_of(b.type), name_of(t.type));
    if (t.dims.size() != b.shape.size()) user_error("{} has rank {}, not {}", named(b), b.shape.size(), t.dims.size());
    for (size_t d = 0; d < t.dims.size(); d++) {
      if (t.dims[d] < 0) user_error("{}: dimension {} is {}", named(b), d, t.dims[d]);
      const IndexNode* n = b.shape[d].node();
      if (n && n->op == IndexOp::variable) symbols_.bind(*n, t.dims[d], named(b));
    }
    const auto bytes = static_cast<size_t>(t.elements()) * size_of(t.type);
    if (t.bytes.size() != bytes)
      user_error("{} has {} bytes, but its shape requires {}", named(b), t.bytes.size(), bytes);
    count(static_cast<int64_t>(bytes), named(b));
    set_view(b, const_cast<std::byte*>(t.bytes.data()), t.dims);
  }

  void check_dims(const Buffer& b, const HostTensor& t) {
    for (size_t d = 0; d < t.dims.size(); d++) {
      const int64_t expected = evaluate(b.shape[d], env_);
      if (t.dims[d] != expected)
        user_error("{}: dimension {} is {}, but the model says {}", named(b), d, t.dims[d], expected);
    }
  }

  void set_view(const Buffer& b, std::byte* data, const std::vector<int64_t>& dims) {
    int64_t elements = 1;
    for (int64_t d : dims) elements = checked_mul(elements, d, "elements of a tensor");
    checked_mul(elements, static_cast<int64_t>(size_of(b.type)), "bytes of a tensor");
    views_[b.id] = {data, b.type, dims, elements, b.name.empty() ? fmt::format("b{}", b.id) : quoted(b.name)};
  }

  [[noreturn]] void refuse_dimension(const Buffer& b, IndexExpr e, int64_t value) const {
    const std::string node = node_that_stores(program_, b.id);
    user_error("{}: dimension {} is {}", node.empty() ? "tensor " + quoted(b.name) : "node " + quoted(node),
               to_string(e), value);
  }

  std::vector<int64_t> dims_of(const Buffer& b) const {
    std::vector<int64_t> dims;
    for (IndexExpr e : b.shape) {
      dims.push_back(evaluate(e, env_));
      if (dims.back() < 0) refuse_dimension(b, e, dims.back());
    }
    return dims;
  }

  void take_constants() {
    for (const Buffer& b : program_.buffers)
      if (b.kind == BufferKind::constant)
        set_view(b, static_cast<std::byte*>(const_cast<void*>(b.data.bytes)), dims_of(b));
  }

  void count(int64_t bytes, const std::string& what) {
    bytes_ = checked_add(bytes_, bytes, "bytes of tensors");
    require_memory(bytes_, max_bytes_, fmt::format("interpreting the model up to the tensor {}", what));
  }

  void allocate(BufferId id) {
    const Buffer& b = program_.buffer(id);
    HostTensor& t = tensors_[id];
    if (views_[id].data || !t.bytes.empty()) return;
    t.type = b.type;
    t.dims = dims_of(b);
    set_view(b, nullptr, t.dims);
    const int64_t bytes = views_[id].elements * static_cast<int64_t>(size_of(b.type));
    count(bytes, views_[id].name);
    // One spare element keeps the pointer of an empty tensor valid.
    t.bytes.resize(static_cast<size_t>(bytes));
    t.bytes.reserve(std::max<size_t>(t.bytes.size(), sizeof(double)));
    views_[id].data = t.bytes.data();
  }

  template <class F>
  static void each_buffer(const Statement& s, F f) {
    if (const auto* call = std::get_if<LibraryCall>(&s)) {
      std::for_each(call->inputs.begin(), call->inputs.end(), f);
      std::for_each(call->outputs.begin(), call->outputs.end(), f);
      return;
    }
    if (const auto* repetition = std::get_if<Repetition>(&s)) {
      for (const Carried& c : repetition->carried)
        for (BufferId id : {c.initial, c.before, c.after}) f(id);
      for (const Statement& inner : repetition->body) each_buffer(inner, f);
      return;
    }
    const auto& nest = std::get<LoopNest>(s);
    for (const Store& store : nest.stores) f(store.buffer);
    for (Expr load : loads_of(nest)) f(load->buffer);
  }

  void find_last_uses() {
    const int count = static_cast<int>(program_.statements.size());
    for (int i = 0; i < count; i++) each_buffer(program_.statements[i], [&](BufferId id) { last_use_[id] = i; });
    for (BufferId id : program_.outputs) last_use_[id] = count;
  }

  void release_after(int statement) {
    each_buffer(program_.statements[statement], [&](BufferId id) {
      if (last_use_[id] != statement || tensors_[id].dims.empty()) return;
      bytes_ -= static_cast<int64_t>(tensors_[id].bytes.size());
      tensors_[id] = {};
      views_[id] = {};
    });
  }

  void run_statement(const Statement& s) {
    if (const auto* nest = std::get_if<LoopNest>(&s)) {
      for (const Store& store : nest->stores) allocate(store.buffer);
      interpret_nest(*nest, views_, env_);
    } else if (const auto* call = std::get_if<LibraryCall>(&s)) {
      run_call(*call);
    } else {
      run_repetition(std::get<Repetition>(s));
    }
  }

  void run_repetition(const Repetition& r) {
    for (const Carried& c : r.carried) {
      allocate(c.before), allocate(c.after);
      copy_elements(c.initial, c.before);
    }
    // This also allocates buffers that no step stores, if there are no steps.
    each_nest(r.body, [&](const LoopNest& nest) {
      for (const Store& store : nest.stores) allocate(store.buffer);
    });
    const int64_t steps = evaluate(r.steps, env_);
    for (int64_t step = 0; step < steps; step++) {
      symbols_.set(*r.step.node(), step);
      for (const Statement& s : r.body) run_statement(s);
      for (const Carried& c : r.carried)
        if (step + 1 < steps) copy_elements(c.after, c.before);
    }
  }

  void copy_elements(BufferId from, BufferId to) {
    const TensorView& source = views_[from];
    std::copy_n(source.data, static_cast<size_t>(source.elements) * size_of(source.type), views_[to].data);
  }

  void run_call(const LibraryCall& call) {
    const auto function = library_.find(call.function);
    if (function == library_.end()) {
      const std::string origin = call.origins.empty() ? "" : " (node " + call.origins[0] + ")";
      user_error("there is no library function {}{}", call.function, origin);
    }
    std::vector<HostTensor> copies;
    const int64_t before = bytes_;
    for (BufferId id : call.inputs) copies.push_back(copy(id));
    const int64_t copied = bytes_ - before;
    std::vector<const HostTensor*> inputs;
    for (const HostTensor& t : copies) inputs.push_back(&t);
    std::vector<HostTensor*> outputs;
    for (BufferId id : call.outputs) {
      prepare_output(id);
      outputs.push_back(&tensors_[id]);
    }
    std::vector<int64_t> params;
    for (IndexExpr p : call.params) params.push_back(evaluate(p, env_));
    function->second(inputs, params, call.numbers, outputs);
    copies.clear();
    bytes_ -= copied;
    for (BufferId id : call.outputs) check_output(call, id);
  }

  bool decides(IndexExpr dimension) const {
    const IndexNode* n = dimension.node();
    return n && n->op == IndexOp::variable && !symbols_.knows(*n);
  }

  void prepare_output(BufferId id) {
    const Buffer& b = program_.buffer(id);
    if (std::none_of(b.shape.begin(), b.shape.end(), [&](IndexExpr e) { return decides(e); })) return allocate(id);
    tensors_[id] = {b.type, {}, {}};
    for (IndexExpr e : b.shape) tensors_[id].dims.push_back(decides(e) ? -1 : evaluate(e, env_));
  }

  void check_output(const LibraryCall& call, BufferId id) {
    HostTensor& t = tensors_[id];
    const Buffer& b = program_.buffer(id);
    const std::string where = fmt::format("output {} of the library function {}", quoted(b.name), call.function);
    bool fits = t.type == b.type && t.dims.size() == b.shape.size();
    for (size_t d = 0; fits && d < t.dims.size(); d++) {
      if (decides(b.shape[d])) symbols_.bind(*b.shape[d].node(), t.dims[d], where);
      fits = t.dims[d] == evaluate(b.shape[d], env_);
    }
    if (!fits || t.bytes.size() != static_cast<size_t>(t.elements()) * size_of(t.type))
      internal_error("{} does not have the stated type or shape", where);
    t.bytes.reserve(std::max<size_t>(t.bytes.size(), sizeof(double)));
    const bool counted = views_[id].data == t.bytes.data();  // by allocate()
    set_view(b, t.bytes.data(), t.dims);
    if (!counted) count(static_cast<int64_t>(t.bytes.size()), views_[id].name);
  }

  // An output that no later one is equal to is not copied.
  HostTensor taken(size_t output) {
    const std::vector<BufferId>& all = program_.outputs;
    const BufferId id = all[output];
    const bool again = std::find(all.begin() + std::ptrdiff_t(output) + 1, all.end(), id) != all.end();
    if (again || views_[id].data != tensors_[id].bytes.data() || tensors_[id].bytes.empty()) return copy(id);
    return std::move(tensors_[id]);
  }

  HostTensor copy(BufferId id) {
    const TensorView& view = views_[id];
    count(view.elements * static_cast<int64_t>(size_of(view.type)), view.name);
    HostTensor t{view.type, view.dims, {}};
    t.bytes.assign(view.data, view.data + static_cast<size_t>(view.elements) * size_of(view.type));
    return t;
  }
};

}  // namespace

std::vector<HostTensor> interpret(const Program& program, const std::vector<HostTensor>& inputs,
                                  const SymbolValues& symbols, const LibraryTable& library, int64_t max_bytes) {
  return ProgramRun(program, symbols, library, max_bytes).run(inputs);
}

}  // namespace cppgen::ir
