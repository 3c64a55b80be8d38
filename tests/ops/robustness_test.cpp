// Random nodes of every operator: whatever a model says, the answer is a program that verifies and runs, or a
// UserError.
#include <gtest/gtest.h>

#include <random>

#include "runtime/base/errors.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

class RandomNode {
 public:
  explicit RandomNode(uint32_t seed) : random_(seed) {}

  NodeCase make(const ops::Op& op, int version) {
    NodeCase c;
    c.op = op.name;
    c.domain = op.domain;
    c.opset = version;
    int most = op.inputs.most == ops::kAny ? op.inputs.least + 3 : op.inputs.most;
    int count = int(pick(op.inputs.least, most)) + (chance(20) ? 1 : 0);
    DType common = dtype();
    std::vector<int64_t> base = dims();
    for (int i = 0; i < count; ++i) {
      c.inputs.push_back(random_tensor(chance(6) ? dtype() : common, chance(2) ? base : dims()));
      c.constant.push_back(chance(2));
      c.absent.push_back(i > 0 && chance(10));
    }
    c.outputs = int(pick(1, op.outputs == ops::kAny ? 3 : op.outputs));
    for (const char* name : kAttributes) {
      if (chance(4)) c.attributes[name] = attribute();
    }
    if (c.op == "Einsum") c.attributes["equation"] = std::string(chance(2) ? "ij,jk->ik" : "...a,b...->ab");
    if (c.op == "Cast" || chance(3)) c.attributes["to"] = pick(0, 24);
    return c;
  }

 private:
  static constexpr const char* kAttributes[] = {"axis",
                                                "axes",
                                                "keepdims",
                                                "perm",
                                                "pads",
                                                "strides",
                                                "dilations",
                                                "kernel_shape",
                                                "group",
                                                "auto_pad",
                                                "alpha",
                                                "beta",
                                                "transA",
                                                "transB",
                                                "split",
                                                "shape",
                                                "starts",
                                                "ends",
                                                "mode",
                                                "p",
                                                "size",
                                                "blocksize",
                                                "batch_dims",
                                                "k",
                                                "direction",
                                                "fmod",
                                                "ceil_mode",
                                                "count_include_pad",
                                                "num_groups",
                                                "scales",
                                                "reduction",
                                                "ignore_index",
                                                "output_shape",
                                                "output_padding",
                                                "num_outputs",
                                                "start",
                                                "end",
                                                "broadcast",
                                                "exclusive",
                                                "reverse",
                                                "to",
                                                "value",
                                                "dtype",
                                                "coordinate_transformation_mode",
                                                "nearest_mode",
                                                "time_axis",
                                                "batch_axis",
                                                "training_mode",
                                                "block_size",
                                                "select_last_index",
                                                "storage_order",
                                                "allowzero",
                                                "noop_with_empty_axes",
                                                "approximate",
                                                "spatial",
                                                "stash_type",
                                                "min",
                                                "max",
                                                "epsilon",
                                                "upper",
                                                "is_test",
                                                "paddings",
                                                "output_dtype",
                                                "antialias",
                                                "exclude_outside",
                                                "value_ints",
                                                "value_floats",
                                                "periodic",
                                                "output_datatype",
                                                "keep_aspect_ratio_policy"};

  int64_t pick(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(random_); }
  bool chance(int one_in) { return pick(1, one_in) == 1; }

  DType dtype() { return chance(2) ? DType::f32 : DType(pick(0, kDTypeCount - 1)); }

  std::vector<int64_t> dims() {
    static constexpr int64_t sizes[] = {0, 1, 1, 2, 2, 3, 4, 5};
    std::vector<int64_t> out(size_t(chance(3) ? pick(0, 1) : pick(2, 4)));
    for (int64_t& d : out) d = sizes[pick(chance(8) ? 0 : 1, 7)];
    return out;
  }

  HostTensor random_tensor(DType type, std::vector<int64_t> dims) {
    HostTensor t{type, dims, {}};
    int64_t count = 1;
    for (int64_t d : dims) count *= d;
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = chance(30) ? pick(INT64_MIN, INT64_MAX) : pick(-3, 4);
      float f = float(value) * 0.5f;
      double d = f;
      if (type == DType::boolean) value = value > 0;
      if (type == DType::f4e2m1) value &= 15;
      if (is_small_int(type)) value = (value & (range_of(type).greatest - range_of(type).least)) + range_of(type).least;
      const void* from = type == DType::f32   ? static_cast<const void*>(&f)
                         : type == DType::f64 ? static_cast<const void*>(&d)
                                              : &value;
      auto* bytes = static_cast<const std::byte*>(from);
      t.bytes.insert(t.bytes.end(), bytes, bytes + size_of(type));
    }
    return t;
  }

  int64_t any_integer() { return chance(25) ? pick(INT64_MIN, INT64_MAX) : pick(-3, 4); }

  Attribute attribute() {
    static const std::vector<std::string> texts = {
        "",     "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "constant",   "edge",          "reflect", "wrap",
        "mean", "sum",    "none",  "add",        "mul",        "max",        "linear",        "cubic",   "nearest",
        "LEFT", "RIGHT",  "DCR",   "CRD",        "tanh",       "half_pixel", "align_corners", "floor",   "not_larger"};
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2:
        return any_integer();
      case 3:
        return float(pick(-4, 4)) * 0.5f;
      case 4:
      case 5:
        return texts[size_t(pick(0, int64_t(texts.size()) - 1))];
      case 6:
        return std::vector<float>(size_t(pick(0, 4)), float(pick(-1, 3)));
      case 7: {
        HostTensor t = random_tensor(dtype(), chance(2) ? std::vector<int64_t>{1} : dims());
        return make_tensor(t.type, t.dims, t.bytes);
      }
      default: {
        std::vector<int64_t> list(size_t(pick(0, 4)));
        for (int64_t& v : list) v = chance(2) ? pick(0, 2) : any_integer();
        return list;
      }
    }
  }

  std::mt19937 random_;
};

// Points of all nests, where constant: what interpreting costs.
double work_of(const ir::Program& p) {
  double work = 0;
  for (const ir::Buffer& b : p.buffers) {
    double count = 1;
    for (const IndexExpr& d : b.shape) count *= d.is_constant() ? double(d.constant()) : 1;
    work += count;
  }
  for (const ir::Statement& s : p.statements) {
    auto* nest = std::get_if<ir::LoopNest>(&s);
    double points = 1;
    for (auto* loops : {&nest->loops, &nest->reduced}) {
      for (const ir::Loop& l : *loops) points *= l.extent.is_constant() ? double(l.extent.constant()) : 1;
    }
    work += points;
  }
  return work;
}

struct Counts {
  int ran = 0, refused = 0;
};

void try_case(const NodeCase& c, Counts& counts) {
  try {
    Graph g = graph_of(c);
    ops::infer_types(g);
    if (ops::is_host(g, g.nodes[0]) || g.nodes[0].facts.run_time_symbols) {
      ++counts.ran;  // inferred; the host runs it, or has dimensions computed first
      return;
    }
    ir::Program p = program_of(g);
    if (work_of(p) > 2e5) return;
    std::vector<HostTensor> inputs;
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      if (!c.constant[i] && !c.absent[i]) inputs.push_back(c.inputs[i]);
    }
    ir::interpret(p, inputs);
    ++counts.ran;
  } catch (const UserError&) {
    ++counts.refused;
  }
}

void try_version(const ops::Op& op, int since, Counts& counts) {
  RandomNode random(uint32_t(std::hash<std::string_view>()(op.name) + size_t(since)));
  for (int k = 0; k < 400; ++k) {
    NodeCase c = random.make(op, since);
    try {
      try_case(c, counts);
    } catch (const std::exception& e) {
      ADD_FAILURE() << op.name << " version " << since << " case " << k << ": " << e.what();
      break;
    }
  }
}

TEST(Robustness, EveryOperatorRunsOrRefuses) {
  std::map<std::string, Counts> by_operator;
  for (const ops::Op& op : ops::table())
    for (const ops::Version& version : op.versions) try_version(op, version.since, by_operator[std::string(op.name)]);
  int ran = 0;
  for (auto& [name, counts] : by_operator) ran += counts.ran > 0;
  EXPECT_GT(ran, int(by_operator.size()) * 2 / 3) << "too few operators accept a random node";
}

}  // namespace
}  // namespace cppgen::ops_test
