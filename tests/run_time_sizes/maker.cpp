#include "tests/run_time_sizes/maker.h"

#include <algorithm>
#include <set>

namespace cppgen::sizes {
namespace {

constexpr int64_t kMostElements = 600;
constexpr double kMostMagnitude = 1e3, kMostError = 1e-2;
constexpr int64_t kMostInteger = 64;

bool is_small(const Exact& x) {
  if (elements(x.dims) > kMostElements || x.rank() > 5) return false;
  if (x.kind == Kind::integer) return x.largest() <= kMostInteger;
  return x.largest() <= kMostMagnitude && x.error <= kMostError;
}

int onnx_type(Kind kind) {
  return kind == Kind::number    ? onnx::TensorProto::FLOAT
         : kind == Kind::integer ? onnx::TensorProto::INT64
                                 : onnx::TensorProto::BOOL;
}

void set(onnx::NodeProto& node, const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    auto& a = *node.add_attribute();
    a.set_name(name);
    if (const auto* i = std::get_if<int64_t>(&value)) {
      a.set_type(onnx::AttributeProto::INT), a.set_i(*i);
    } else if (const auto* s = std::get_if<std::string>(&value)) {
      a.set_type(onnx::AttributeProto::STRING), a.set_s(*s);
    } else {
      a.set_type(onnx::AttributeProto::INTS);
      for (const int64_t i : std::get<std::vector<int64_t>>(value)) a.add_ints(i);
    }
  }
}

}  // namespace

void Maker::input(const std::string& name, Kind kind, const std::vector<std::string>& dims, std::vector<Exact> runs) {
  model_.input(name, dims, onnx_type(kind));
  inputs_.push_back(name);
  values_.push_back({name, std::move(runs)});
}

const Tracked& Maker::constant(const std::vector<int64_t>& list, bool scalar) {
  const std::string name = "c" + std::to_string(names_++);
  const Dims dims = scalar ? Dims{} : Dims{int64_t(list.size())};
  auto& tensor = model_.initializer(name, dims, onnx::TensorProto::INT64);
  for (const int64_t v : list) tensor.add_int64_data(v);
  values_.push_back({name, std::vector<Exact>(kRuns, {Kind::integer, dims, {list.begin(), list.end()}, 0})});
  return values_.back();
}

const Tracked* Maker::add(const std::string& op, const std::vector<const Tracked*>& operands,
                          const Attributes& attributes, const Meaning& meaning, int outputs) {
  Tracked made;
  for (size_t run = 0; run < kRuns; run++) {
    std::vector<const Exact*> in;
    for (const Tracked* t : operands) in.push_back(&t->runs[run]);
    Result result = meaning(in);
    if (!result || !is_small(*result)) return nullptr;
    made.runs.push_back(std::move(*result));
  }
  made.name = op + std::to_string(names_++);
  std::vector<std::string> in, out{made.name};
  for (const Tracked* t : operands) in.push_back(t->name);
  for (int i = 1; i < outputs; i++) out.push_back(made.name + "_" + std::to_string(i));
  set(model_.node(op, in, out, made.name), attributes);
  values_.push_back(std::move(made));
  return &values_.back();
}

const Tracked* Maker::pick(const std::function<bool(const Tracked&)>& fits) {
  std::vector<const Tracked*> fitting;
  for (const Tracked& t : values_)
    if (fits(t)) fitting.push_back(&t);
  if (fitting.empty()) return nullptr;
  const auto count = int64_t(fitting.size());
  return fitting[size_t(chance(0.6) ? count - 1 - uniform(0, std::min<int64_t>(2, count - 1)) : uniform(0, count - 1))];
}

const Tracked* Maker::number(size_t least_rank, size_t most_rank) {
  return pick(
      [&](const Tracked& t) { return t.kind() == Kind::number && t.rank() >= least_rank && t.rank() <= most_rank; });
}

const Tracked* Maker::size() {
  return pick([](const Tracked& t) {
    return t.kind() == Kind::integer &&
           std::all_of(t.runs.begin(), t.runs.end(), [](const Exact& x) { return x.dims == Dims{1}; });
  });
}

const Tracked& Maker::named(const std::string& name) const {
  return *std::find_if(values_.begin(), values_.end(), [&](const Tracked& t) { return t.name == name; });
}

void Maker::choose_outputs() {
  std::set<std::string> read;
  for (const auto& node : model_.graph.node()) read.insert(node.input().begin(), node.input().end());
  for (const auto& node : model_.graph.node())
    if (!read.contains(node.output(0)) || chance(0.1)) outputs_.push_back(node.output(0));
  for (const std::string& name : outputs_) model_.output(name);
}

}  // namespace cppgen::sizes
