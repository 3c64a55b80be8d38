// Settings of fusion and scheduling: what the schedule of a small graph looks like.
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "runtime/plugins/plugins.h"
#include "tests/settings/effect.h"
#include "tests/settings/schedules.h"

namespace cppgen {
namespace {

using namespace schedule;

GraphMaker chain(int length) {
  GraphMaker g;
  ValueId v = g.input("x", {64, 32});
  for (int i = 0; i < length; i++) v = g.node(i % 2 ? "Neg" : "Sqrt", {v});
  g.output(v);
  return g;
}

TEST_F(SettingEffect, TUNING) {
  const auto nests = [&] {
    GraphMaker g = chain(40);
    const Target target = target_of(*find_isa("avx2"), settings());
    return make_schedule(ops::lower(g.g), schedule_options(settings()), target).program.statements.size();
  };
  expect_effect<size_t>("nest_operations=16", nests, 1, 3);
  expect_effect<size_t>("nest_operations=16,kernel_weight=512", nests, 1, 3);
  const Ended side_by_side = run({"run", model_of("Tanh", 1000), "--set",
                                  "TUNING=very_long_chains=32,long_chains=16,long_chain=16", "--set", "ISA=avx2"});
  EXPECT_EQ(side_by_side.status, 0) << side_by_side.err;
  const auto refused = [&](const std::string& value) {
    const Ended ended = run({"run", relu(), "--set", "TUNING=" + value});
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(refused("nest_operations=15"), "cppgen: TUNING: nest_operations=15: allowed are integers from 16 to 256\n");
  EXPECT_EQ(refused("nest_operations=17.5"),
            "cppgen: TUNING: nest_operations=17.5: allowed are integers from 16 to 256\n");
  EXPECT_EQ(refused("speed=9"), "cppgen: TUNING: there is no constant 'speed' in cppgen/schedule/tuning.def\n");
  EXPECT_EQ(refused("nest_operations"), "cppgen: TUNING: 'nest_operations': expected NAME=VALUE\n");
  EXPECT_EQ(refused("heavy_weight=8,heavy_weight=9"), "cppgen: TUNING: heavy_weight is given twice\n");
}

TEST_F(SettingEffect, MAX_FUSION_SIZE) {
  using Seen = std::pair<size_t, size_t>;  // the number of kernels, and of the nodes of the largest
  const auto see = [&] {
    const Schedule s = schedule_of(chain(10), settings());
    Seen seen{0, 0};
    for (const FusedKernel* kernel : kernels_of(s))
      seen = {seen.first + 1, std::max(seen.second, kernel->origins.size())};
    return seen;
  };
  expect_effect<Seen>("1", see, {1, 10}, {10, 1});
  expect_effect<Seen>("4", see, {1, 10}, {3, 4});
  expect_effect<Seen>("10", see, {1, 10}, {1, 10});
  const auto reason = [&] { return decision(schedule_of(chain(10), settings()).log, "inline").reason; };
  environment["CPPGEN_MAX_FUSION_SIZE"] = "1";
  EXPECT_EQ(reason(), "the kernel would have more than MAX_FUSION_SIZE=1 nodes");
}

GraphMaker siblings(int count) {
  GraphMaker g;
  for (int i = 0; i < count; i++) g.output(g.node("Exp", {g.input("x" + std::to_string(i), {64, 32})}));
  return g;
}

TEST_F(SettingEffect, MAX_HORIZONTAL_FUSION_SIZE) {
  const auto kernels = [&] { return schedule_of(siblings(6), settings()).steps.size(); };
  expect_effect<size_t>("1", kernels, 1, 6);
  expect_effect<size_t>("2", kernels, 1, 3);
}

// v = x + y is cheap and read by three pointwise nests, each of its own shape.
GraphMaker three_readers(int reads) {
  GraphMaker g;
  ValueId v = g.input("x", {16, 32});
  for (int i = 1; i < reads; i++) v = g.node("Add", {v, g.input("y" + std::to_string(i), {16, 32})});
  for (const char* op : {"Exp", "Neg", "Abs"}) g.output(g.node(op, {v}));
  return g;
}

TEST_F(SettingEffect, REALIZE_READS_THRESHOLD) {
  expect_effect<size_t>(
      "2", [&] { return statements(three_readers(2), settings()); }, 3, 4);
  environment["CPPGEN_REALIZE_READS_THRESHOLD"] = "2";
  EXPECT_EQ(decision(schedule_of(three_readers(2), settings()).log, "inline", "add").reason,
            "it has 3 readers, so it is stored (REALIZE_READS_THRESHOLD=2)");
}

// A value of four additions.
TEST_F(SettingEffect, REALIZE_OPCOUNT_THRESHOLD) {
  const auto nests = [&] { return statements(three_readers(5), settings()); };
  expect_effect<size_t>("3", nests, 3, 4);
  expect_effect<size_t>("4", nests, 3, 3);
  environment["CPPGEN_REALIZE_OPCOUNT_THRESHOLD"] = "3";
  EXPECT_TRUE(
      is_refused(schedule_of(three_readers(5), settings()), "it has more than REALIZE_OPCOUNT_THRESHOLD=3 operations"));
}

TEST_F(SettingEffect, REALIZE_ACC_READS_THRESHOLD) {
  expect_effect<size_t>(
      "2", [&] { return statements(three_readers(3), settings()); }, 3, 4);
}

TEST_F(SettingEffect, UNROLL_REDUCTIONS_THRESHOLD) {
  const auto unrolled = [&] {
    GraphMaker g;
    g.output(g.node("ReduceMax", {g.input("x", {64, 8})}, {{"axes", std::vector<int64_t>{1}}}));
    const Schedule s = schedule_of(std::move(g), settings());
    return kernels_of(s).at(0)->segments[0].reductions.empty();
  };
  expect_effect<bool>("7", unrolled, true, false);
  expect_effect<bool>("0", unrolled, true, false);
}

TEST_F(SettingEffect, EPILOGUE_FUSION) {
  const auto kernels = [&] {
    GraphMaker g;
    g.output(g.node("Relu", {g.node("MatMul", {g.input("x", {8, 32}), g.input("w", {32, 16})})}));
    return statements(std::move(g), settings());
  };
  const size_t fused = kernels();
  expect_effect<size_t>("0", kernels, fused, fused + 1);
}

TEST_F(SettingEffect, ATTENTION_FUSION) {
  const auto steps = [&] {
    GraphMaker g;
    ValueId scores = g.node("MatMul", {g.input("q", {32, 16}), g.input("k", {16, 32})});
    ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
    g.output(g.node("MatMul", {weights, g.input("v", {32, 16})}));
    return schedule_of(std::move(g), settings()).steps.size();
  };
  const size_t apart = 3;  // two products, the softmax
  expect_effect<size_t>("0", steps, 1, apart);
}

// x * x is a value of bfloat16, of which the fused kernel keeps more than that type does.
TEST_F(SettingEffect, EMULATE_PRECISION_CASTS) {
  ModelMaker maker;
  const auto cast = [&](const char* from, const char* to, int type) {
    auto& attribute = *ModelMaker::add_node(maker.graph, "Cast", {from}, {to}).add_attribute();
    attribute.set_name("to"), attribute.set_type(onnx::AttributeProto::INT), attribute.set_i(type);
  };
  maker.input("x", {"8", "64"}).output("y");
  cast("x", "n", onnx::TensorProto::BFLOAT16);
  maker.node("Mul", {"n", "n"}, {"square"}), maker.node("Sub", {"square", "n"}, {"less"});
  maker.node("Mul", {"less", "square"}, {"z"});
  cast("z", "y", onnx::TensorProto::FLOAT);
  const std::string model = write("narrow.onnx", maker);
  succeed({"run", model, "--reference", "--output", path("reference")});
  const auto same_bits = [&] {
    succeed({"run", model, "--output", path("compiled")});
    return read_file(path("compiled/out_0.npy")) == read_file(path("reference/out_0.npy"));
  };
  expect_effect<bool>("1", same_bits, false, true);
}

TEST_F(SettingEffect, SPLIT_REDUCTIONS) {
  const auto phases = [&] {
    GraphMaker g;
    g.output(g.node("ReduceSum", {g.input("x", {64, 4096}), g.ints({0, 1})}));
    return statements(std::move(g), settings());
  };
  expect_effect<size_t>("0", phases, 2, 1);
}

TEST_F(SettingEffect, LAYOUT_OPTIMIZATION) {
  const auto channels_last = [&] {
    GraphMaker g;
    const auto conv = [&](ValueId in, const char* w) { return g.node("Conv", {in, g.input(w, {16, 16, 3, 3})}); };
    g.output(conv(g.node("Relu", {conv(g.input("x", {1, 16, 12, 12}), "w1")}), "w2"));
    const Schedule s = schedule_of(std::move(g), settings());
    return std::any_of(s.program.buffers.begin(), s.program.buffers.end(), [&](const auto& b) {
      return b.kind == ir::BufferKind::temporary && b.shape.size() == 4 && s.layouts[size_t(b.id)] == with_last(4, 1);
    });
  };
  expect_effect<bool>("0", channels_last, true, false);
}

TEST_F(SettingEffect, INPLACE_BUFFERS) {
  // The product keeps the two pointwise nests apart, and the second is the last to read the first's result.
  const auto in_place = [&] {
    GraphMaker g;
    ValueId v = g.node("Exp", {g.input("x", {64, 32})});
    ValueId w = g.node("MatMul", {v, g.input("w", {32, 32})});
    ValueId sum = g.node("Exp", {g.node("Add", {v, w})});
    g.output(g.node("MatMul", {sum, g.input("u", {32, 32})}));
    return !schedule_of(std::move(g), settings()).in_place.empty();
  };
  environment["CPPGEN_EPILOGUE_FUSION"] = "0";
  expect_effect<bool>("0", in_place, true, false);
}

TEST_F(SettingEffect, WEIGHT_PREPACK) {
  const auto packed_when_run = [&] {
    GraphMaker g;
    g.output(g.node("MatMul", {g.input("x", {32, 32}), g.floats({32, 48}, std::vector<double>(32 * 48, 0.5))}));
    const Schedule s = schedule_of(std::move(g), settings());
    return s.packed.empty() && s.steps.size() == 2;
  };
  expect_effect<bool>("0", packed_when_run, false, true);
}

TEST_F(SettingEffect, CONSTANT_FOLDING) {
  ModelMaker maker;
  for (const char* name : {"a", "b"}) {
    auto& values = maker.initializer(name, {64, 64}, onnx::TensorProto::FLOAT);
    for (int i = 0; i < 64 * 64; i++) values.add_float_data(2);
  }
  maker.input("x", {"64", "64"}).output("y").node("Mul", {"a", "b"}, {"c"}, "of_constants");
  maker.node("Add", {"x", "c"}, {"y"}, "of_input");
  const std::string model = write("constants.onnx", maker);
  const auto at_run_time = [&] {
    return succeed({"explain", model, "--json"}).out.find("of_constants") != std::string::npos;
  };
  expect_effect<bool>("0", at_run_time, false, true);
}

TEST_F(SettingEffect, INT8_ACTIVATIONS) {
  const auto operators = [&] {
    GraphMaker g(21);
    std::vector<std::byte> bytes(size_t(4 * 16), std::byte(3));
    const ValueId weights = g.g.add_constant("w", make_tensor(DType::u8, {4, 2, 8}, std::move(bytes)));
    const ValueId y = g.g.add_value("y");
    Node& node = g.g.add_node("MatMulNBits",
                              {g.input("x", {1, 32}), weights, g.floats({4, 2}, std::vector<double>(8, 1))}, {y}, 1);
    node.domain = "com.microsoft";
    node.attributes = {
        {"K", int64_t{32}}, {"N", int64_t{4}}, {"block_size", int64_t{16}}, {"accuracy_level", int64_t{4}}};
    ops::infer_node(g.g, node.id);
    CompileRequest request;
    request.settings = settings();
    simplify(g.output(y).g, request, nullptr, nullptr);
    return op_names(g.g);
  };
  const Ops rounded = {"QuantizeBlocks", "QuantizedMatMulNBits"};
  expect_effect<Ops>("asked", operators, {"MatMulNBits"}, rounded);
}

TEST_F(SettingEffect, PATTERN_MATCHER) {
  ModelMaker maker;
  maker.input("x", {"4"}).output("y").node("Exp", {"x"}, {"a"}, "first");
  maker.node("Exp", {"x"}, {"b"}, "second");
  maker.node("Add", {"a", "b"}, {"y"}, "sum");
  const std::string model = write("twice.onnx", maker);
  const auto computed_twice = [&] {
    return succeed({"explain", model, "--json"}).out.find("second") != std::string::npos;
  };
  expect_effect<bool>("0", computed_twice, false, true);
}

TEST_F(SettingEffect, MAX_AUTOTUNE_GEMM_BACKENDS) {
  const std::string model = products(1);
  const auto engines = [&] {
    std::set<std::string> names;
    const auto report = nlohmann::json::parse(succeed({"explain", model, "--json"}).out);
    for (const auto& step : report["steps"]) names.insert(step["engine"]);
    return names;
  };
  expect_effect<std::set<std::string>>("ONEDNN", engines, {"cppgen"}, {"onednn", "loops"});
  if (rt::xsmm_lanes() > 0) expect_effect<std::set<std::string>>("XSMM", engines, {"cppgen"}, {"xsmm", "loops"});
}

}  // namespace
}  // namespace cppgen
