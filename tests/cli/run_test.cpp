#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "isa/cpu_features.h"
#include "isa/vec_isa.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
class RunCommand : public CliTest {};

rt::Tensor floats(std::vector<int64_t> dims, std::vector<float> values) {
  rt::Tensor tensor(DType::f32, std::move(dims));
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

TEST_F(RunCommand, UnboundDimensionIsNamedWithBothWaysToGiveIt) {
  for (const char* way : {"--reference", "--threads=1"}) {
    const Ended ended = run({"run", symbolic_model(), way});
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err,
              "cppgen: the dimension 'N' (input 'x' axis 0) has no size: give --dim N=N or --input x=FILE.npy\n");
  }
}

TEST_F(RunCommand, DimensionsComeFromOptionsOrFiles) {
  const std::string model = symbolic_model();
  rt::write_npy(path("x.npy"), floats({2, 3}, {1, -2, 3, -4, 5, -6}).view());
  const Ended file = run({"run", model, "--input", "x=" + path("x.npy"), "--json", "--output", path("out")});
  ASSERT_EQ(file.status, 0) << file.err;
  const json report = json::parse(file.out);
  EXPECT_EQ(report["outputs"][0]["shape"], json({2, 3}));
  EXPECT_EQ(report["outputs"][0]["dtype"], "float32");
  EXPECT_EQ(report["outputs"][0]["file"], "out_0.npy");
  EXPECT_EQ(report["step_counts"]["interpreted"], 0);
  EXPECT_GT(report["timings"]["run_ms"].get<double>(), 0);
  const rt::Tensor y = rt::read_npy(path("out/out_0.npy"));
  EXPECT_EQ(std::vector<float>(y.as<float>(), y.as<float>() + 6), (std::vector<float>{1, 0, 3, 0, 5, 0}));

  const Ended bound = run({"run", model, "--dim", "N=5", "--json"});
  ASSERT_EQ(bound.status, 0) << bound.err;
  EXPECT_EQ(json::parse(bound.out)["outputs"][0]["shape"], json({5, 3}));
}

// Dimensions of two names that the model adds are taken to be one size, unless an input that is given has 1 there.
TEST_F(RunCommand, InputsOfOneRowAreBroadcast) {
  ModelMaker maker;
  maker.input("x", {"batch", "3"}).input("mask", {"batch_of_mask", "3"}).output("y").node("Add", {"x", "mask"}, {"y"});
  const std::string model = write("add.onnx", maker);
  rt::write_npy(path("two.npy"), floats({2, 3}, {1, 2, 3, 4, 5, 6}).view());
  rt::write_npy(path("one.npy"), floats({1, 3}, {10, 20, 30}).view());
  const std::vector<float> sum{11, 22, 33, 14, 25, 36};
  for (const char* way : {"--reference", "--threads=1", "--threads=1"})  // the last from the cache
    for (const auto& [x, mask] :
         std::vector<std::pair<std::string, std::string>>{{"two", "two"}, {"two", "one"}, {"one", "two"}}) {
      const Ended ended = run({"run", model, way, "--input", "x=" + path(x) + ".npy", "--input",
                               "mask=" + path(mask) + ".npy", "--output", path("out")});
      ASSERT_EQ(ended.status, 0) << ended.err;
      if (x == mask) continue;
      const rt::Tensor y = rt::read_npy(path("out/out_0.npy"));
      EXPECT_EQ(std::vector<float>(y.as<float>(), y.as<float>() + 6), sum) << way << x << mask;
    }
  rt::write_npy(path("three.npy"), floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}).view());
  EXPECT_EQ(run({"run", model, "--input", "x=" + path("two.npy"), "--input", "mask=" + path("three.npy")}).status, 2);
}

TEST_F(RunCommand, SecondRunComesFromTheCache) {
  const std::string model = symbolic_model();
  EXPECT_EQ(json::parse(run({"run", model, "--dim", "N=2", "--json"}).out)["from_cache"], false);
  EXPECT_EQ(json::parse(run({"run", model, "--dim", "N=2", "--json"}).out)["from_cache"], true);
}

TEST_F(RunCommand, WrongInputsAreRefused) {
  const std::string model = symbolic_model();
  rt::write_npy(path("short.npy"), floats({3}, {1, 2, 3}).view());
  rt::write_npy(path("wide.npy"), floats({1, 4}, {1, 2, 3, 4}).view());
  rt::Tensor ints(DType::i64, {1, 3});
  std::fill(ints.as<int64_t>(), ints.as<int64_t>() + 3, 1);
  rt::write_npy(path("ints.npy"), ints.view());
  const auto error = [&](const std::string& input) {
    const Ended ended = run({"run", model, "--reference", "--input", input});
    EXPECT_EQ(ended.status, 2) << input;
    return ended.err;
  };
  EXPECT_EQ(error("q=" + path("wide.npy")),
            "cppgen: --input q=" + path("wide.npy") + ": the model has no input 'q'; it has the inputs 'x'\n");
  EXPECT_EQ(error("x"), "cppgen: --input x: expected NAME=FILE.npy, as in --input x=image.npy\n");
  EXPECT_EQ(error("x=" + path("short.npy")),
            "cppgen: '" + path("short.npy") + "' has shape [3] of 1 dimensions; the input 'x' has 2\n");
  EXPECT_EQ(error("x=" + path("ints.npy")), "cppgen: '" + path("ints.npy") + "' holds int64; expected float32\n");
  EXPECT_NE(error("x=" + path("wide.npy")).find("axis 1 is 4"), std::string::npos);
  EXPECT_NE(error("x=" + path("missing.npy")).find("missing.npy"), std::string::npos);
}

TEST_F(RunCommand, SeedsDecideTheInputs) {
  const auto output = [&](const char* seed) {
    return run({"run", symbolic_model(), "--reference", "--dim", "N=2", "--seed", seed}).out;
  };
  const auto values = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(values(output("1")), values(output("1")));
  EXPECT_NE(values(output("1")), values(output("2")));
}

TEST_F(RunCommand, RandomIndicesStayInsideTheirTable) {
  std::set<int64_t> seen;
  for (const char* seed : {"1", "2", "3", "4"}) {
    const Ended ended = run({"run", gather_model(), "--reference", "--seed", seed, "--output", path("out")});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const rt::Tensor ids = rt::read_npy(path("out/in_0.npy"));
    seen.insert(ids.as<int64_t>(), ids.as<int64_t>() + 4);
  }
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2}));
}

// The inputs of each seed must be valid for the kernels, which check every index.
TEST_F(RunCommand, RandomIndicesStayInsideAfterArithmetic) {
  const auto table = [](ModelMaker& maker, const std::string& name, int64_t rows) {
    auto& data = maker.initializer(name, {rows, 2}, onnx::TensorProto::FLOAT);
    for (int64_t i = 0; i < 2 * rows; i++) data.add_float_data(float(i));
  };
  const auto number = [](ModelMaker& maker, const std::string& name, int64_t value) {
    maker.initializer(name, {}, onnx::TensorProto::INT64).add_int64_data(value);
  };
  ModelMaker offset, row, plans;
  offset.input("ids", {"8"}, onnx::TensorProto::INT64).output("y");
  table(offset, "table", 10), number(offset, "two", 2), number(offset, "three", 3);
  offset.node("Mul", {"ids", "three"}, {"scaled"}), offset.node("Add", {"scaled", "two"}, {"moved"});
  offset.node("Gather", {"table", "moved"}, {"y"});

  row.input("ids", {"8"}, onnx::TensorProto::INT64).input("x", {"N", "2"}).output("y");
  row.node("Gather", {"x", "ids"}, {"y"});

  // The second table is in another plan, since the host runs NonZero.
  plans.input("ids", {"8"}, onnx::TensorProto::INT64).output("rows").output("y");
  table(plans, "long", 50), table(plans, "short", 3), number(plans, "zero", 0);
  plans.node("Gather", {"long", "ids"}, {"rows"});
  plans.node("NonZero", {"rows"}, {"places"});
  plans.node("ReduceMin", {"places"}, {"least"}), plans.node("Mul", {"least", "zero"}, {"nothing"});
  plans.node("Add", {"ids", "nothing"}, {"later"}), plans.node("Gather", {"short", "later"}, {"y"});

  const std::vector<std::vector<std::string>> commands{{write("offset.onnx", offset)},
                                                       {write("row.onnx", row), "--dim", "N=1"},
                                                       {write("row.onnx", row), "--dim", "x.0=M", "--dim", "M=1"},
                                                       {write("plans.onnx", plans)}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), "run");
    command.insert(command.end(), {"--seed", "1"});
    for (const char* seed : {"1", "2", "3"}) {
      command.back() = seed;
      const Ended ended = run(command);
      EXPECT_EQ(ended.status, 0) << command[1] << " with seed " << seed << ": " << ended.err;
    }
  }
  // The bound is exact: 3 ids + 2 < 10.
  std::set<int64_t> seen;
  for (const char* seed : {"1", "2", "3"}) {
    ASSERT_EQ(run({"run", path("offset.onnx"), "--seed", seed, "--output", path("out")}).status, 0);
    const rt::Tensor ids = rt::read_npy(path("out/in_0.npy"));
    seen.insert(ids.as<int64_t>(), ids.as<int64_t>() + 8);
  }
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2}));
}

// Indices that a branch of an If uses, too, and trip counts.
TEST_F(RunCommand, RandomIndicesStayInsideTheTablesOfBranches) {
  ModelMaker maker;
  maker.input("ids", {"6"}, onnx::TensorProto::INT64).input("choice", {}, onnx::TensorProto::BOOL);
  maker.input("trips", {}, onnx::TensorProto::INT64).input("x", {"3"}).output("y").output("z");
  const auto table = [&](const char* name, int64_t rows) {
    maker.initializer(name, {rows, 2}, onnx::TensorProto::FLOAT).set_raw_data(std::string(size_t(8 * rows), '\x3c'));
  };
  table("large", 100), table("small", 5);
  maker.node("Gather", {"large", "ids"}, {"rows"});
  auto& branches = maker.node("If", {"choice"}, {"few"}, "either");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& attribute = *branches.add_attribute();
    attribute.set_name(name), attribute.set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto& body = *attribute.mutable_g();
    ModelMaker::add_node(body, "Gather", {"small", "ids"}, {std::string("in_") + name});
    if (name == std::string_view("else_branch")) ModelMaker::add_node(body, "Unique", {"in_else_branch"}, {"distinct"});
    ModelMaker::set_type(*body.add_output(), name == std::string_view("else_branch") ? "distinct" : "in_then_branch",
                         {});
    body.mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  }
  maker.node("ReduceSum", {"few"}, {"total"});
  maker.node("Add", {"rows", "total"}, {"y"});
  auto& attribute = *maker.node("Loop", {"trips", "", "x"}, {"z"}, "rounds").add_attribute();
  attribute.set_name("body"), attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  ModelMaker::add_node(body, "Neg", {"in"}, {"out"});
  for (const char* name : {"go", "out"}) body.add_output()->set_name(name);
  const std::string model = write("branches.onnx", maker);
  std::set<int64_t> ids, trips;
  for (const char* seed : {"1", "2", "3", "4"}) {
    const Ended ended = run({"run", model, "--seed", seed, "--output", path("out")});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const rt::Tensor drawn = rt::read_npy(path("out/in_0.npy"));
    ids.insert(drawn.as<int64_t>(), drawn.as<int64_t>() + 6);
    trips.insert(*rt::read_npy(path("out/in_2.npy")).as<int64_t>());
  }
  EXPECT_EQ(ids, (std::set<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_GT(*trips.rbegin(), 1);
}

// For a kernel of several nodes, the message names the one that reads with the index, and what it reads.
TEST_F(RunCommand, AnIndexOutsideOfItsTableIsTheUsersErrorThatNamesTheNode) {
  ModelMaker maker;
  maker.input("ids", {"4"}, onnx::TensorProto::INT64).input("table", {"2", "N"}).output("y");
  auto& gather = maker.node("Gather", {"table", "ids"}, {"rows"}, "look_up");
  auto& axis = *gather.add_attribute();
  axis.set_name("axis"), axis.set_type(onnx::AttributeProto::INT), axis.set_i(1);
  maker.node("Neg", {"rows"}, {"y"}, "minus");
  const std::string model = write("look_up.onnx", maker);
  rt::Tensor ids(DType::i64, {4});
  for (int i = 0; i < 4; i++) ids.as<int64_t>()[i] = i == 2 ? 7 : -1;
  rt::write_npy(path("ids.npy"), ids.view());
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", model, "--input", "ids=" + path("ids.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(error({"--dim", "N=3"}),
            "cppgen: node 'look_up' (Gather): axis 1 of 'table': an index is out of range for a dimension of size 3 "
            "(allowed: -3 to 2)\n");
  EXPECT_EQ(error({"--dim", "table.1=M", "--dim", "M=3"}),
            "cppgen: node 'look_up' (Gather): axis 1 of 'table': an index is out of range; the size is M\n");
  EXPECT_EQ(error({"--dim", "N=3", "--reference"}),
            "cppgen: node look_up: index 7 is out of range for a dimension of size 3 (allowed: -3 to 2)\n");
}

TEST_F(RunCommand, ReferenceAndCompiledDrawTheSameInputs) {
  ASSERT_EQ(run({"run", gather_model(), "--reference", "--seed", "7", "--output", path("a")}).status, 0);
  ASSERT_EQ(run({"run", gather_model(), "--seed", "7", "--output", path("b")}).status, 0);
  const rt::Tensor a = rt::read_npy(path("a/in_0.npy")), b = rt::read_npy(path("b/in_0.npy"));
  EXPECT_TRUE(std::equal(a.as<int64_t>(), a.as<int64_t>() + 4, b.as<int64_t>()));
  EXPECT_EQ(run({"verify", gather_model(), path("a")}).status, 0) << "compiled against the reference";
}

TEST_F(RunCommand, ForceNativeRuntimeInterprets) {
  environment["FORCE_NATIVE_RUNTIME"] = "1";
  const Ended ended = run({"run", symbolic_model(), "--dim", "N=2", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["isa"], "interpreter");
  EXPECT_GT(report["step_counts"]["interpreted"], 0);
  EXPECT_EQ(report["step_counts"]["compiled"], 0);
}

// A compiler that refuses what was emitted, but nothing else: our bug. One that refuses everything: the user's.
TEST_F(RunCommand, WhoIsToBlameForAFailedCompilationDecidesTheStatus) {
  environment["CPPGEN_VEC_ISA_OK"] = "1";
  const auto run_with = [&](const std::string& refused) {
    const std::string compiler =
        folder.write("compiler", "#!/bin/sh\ngrep -q '" + refused + "' kernel.cpp && exit 1\nexec g++ \"$@\"\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    environment["CPPGEN_CXX"] = compiler;
    return run({"run", symbolic_model(), "--dim", "N=2"});
  };
  const Ended ours = run_with("CPPGEN_KERNEL");
  EXPECT_EQ(ours.status, 3);
  EXPECT_TRUE(ours.err.starts_with("cppgen: internal error: the compiler of kernel unit 'kernels_0' exited"))
      << ours.err;
  EXPECT_NE(ours.err.find("\n  source: " + path("cache/cppgen/failed/")), std::string::npos) << ours.err;
  EXPECT_NE(ours.err.find("Please report it to "), std::string::npos) << ours.err;
  const Ended theirs = run_with("#include");
  EXPECT_EQ(theirs.status, 2);
  EXPECT_TRUE(theirs.err.starts_with("cppgen: the compiler of kernel unit 'kernels_0' exited")) << theirs.err;
}

// The probe runs beside the compilation for the best instruction set: both outcomes of the latter.
TEST_F(RunCommand, AnInstructionSetThatFailsItsProbeIsLeftForTheNextOne) {
  if (!detect_cpu_features().has_all(find_isa("avx512")->required)) GTEST_SKIP() << "only AVX-512 has a next one here";
  for (const char* refused : {"*mavx512f*probe.cpp*", "*mavx512f*"}) {
    const std::string compiler = folder.write(
        "compiler", fmt::format("#!/bin/sh\ncase \"$*\" in {}) exit 1;; esac\nexec g++ \"$@\"\n", refused));
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    environment["CPPGEN_CXX"] = compiler;
    environment["CPPGEN_FORCE_DISABLE_CACHES"] = "1";
    const Ended ended = run({"run", symbolic_model(), "--dim", "N=2", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(json::parse(ended.out)["isa"], "avx2");
    EXPECT_NE(ended.err.find("instruction set avx512 is not usable here"), std::string::npos) << ended.err;
  }
}

TEST_F(RunCommand, NamesFromTheModelNeverBecomePathsOrControlTheTerminal) {
  ModelMaker maker;
  const std::string evil = "../../evil\x1b[31m\xff";
  maker.input("x", {"2"}).output(evil).node("Relu", {"x"}, {evil});
  const std::string model = write("evil.onnx", maker);
  const Ended text = run({"run", model, "--reference", "--output", path("out")});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("out"))) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"in_0.npy", "out_0.npy", "io.json"}));
  EXPECT_TRUE(json::accept(run({"run", model, "--reference", "--json"}).out)) << "not UTF-8, yet JSON";
}

}  // namespace
}  // namespace cppgen
