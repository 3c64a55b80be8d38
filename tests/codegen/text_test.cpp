// Properties of all emitted text: it is deterministic and ASCII, and contains no names of the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/kernel_jobs.h"
#include "cppgen/schedule/tuning.h"
#include "runtime/abi/abi.h"
#include "tests/codegen/emitted.h"

namespace cppgen::codegen {
namespace {

std::string all_text(GraphMaker& g, const Options& options = {}) {
  std::string text;
  for (const KernelText& k : emitted(g, *find_isa("avx2"), options)) text += k.comment + k.code();
  return text;
}

// A small network with every kind of kernel.
GraphMaker network() {
  GraphMaker g;
  ValueId x = g.input("x", {1, 16, 12, 12});
  ValueId y = g.node("Relu", {g.node("Conv", {x, g.input("w", {32, 16, 3, 3})})});
  ValueId p =
      g.node("MaxPool", {y}, {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
  ValueId f = g.node("Flatten", {p});
  ValueId z = g.node("Gemm", {f, g.input("v", {800, 10}), g.input("b", {10})});
  g.output(g.node("Softmax", {z}));
  return g;
}

TEST(Text, TheSameModelGivesTheSameBytes) {
  GraphMaker a = network(), b = network();
  EXPECT_EQ(all_text(a), all_text(b));
  // Again from the same graph, whose arenas now contain other variables.
  EXPECT_EQ(all_text(a), all_text(b));
}

TEST(Text, CommentOriginNamesTheNodes) {
  GraphMaker g = network();
  Options off;
  off.comment_origin = false;
  std::string with = all_text(g), without = all_text(g, off);
  EXPECT_NE(with.find("Conv#0"), with.npos);
  EXPECT_EQ(without.find("Conv#0"), without.npos);
  EXPECT_EQ(("\n" + without).find("\n//"), without.npos);
  // Only the comment differs.
  std::string stripped;
  for (size_t at = 0; at < with.size();) {
    size_t end = with.find('\n', at) + 1;
    if (with.compare(at, 2, "//") != 0) stripped += with.substr(at, end - at);
    at = end;
  }
  EXPECT_EQ(stripped, without);
}

const std::string kHostile[] = {"a\n#error injected\n",
                                "a\r#error injected\r",
                                "quote\" + system(\"x\")",
                                "*/ #error injected /*",
                                "ends in a backslash\\",
                                "trigraph ?"
                                "?/",
                                "\xff\xfe\x80 not UTF-8",
                                std::string("nul\0#error injected", 19),
                                "\xe2\x80\xa8#error injected",
                                "%s%n{}{0}",
                                "R\"(raw)\"",
                                std::string(100000, 'x')};

TEST(Text, HostileNamesNeverEnterTheSource) {
  for (const std::string& name : kHostile) {
    SCOPED_TRACE(name.substr(0, 40));
    GraphMaker plain = network(), hostile = network();
    for (Node& n : hostile.g.nodes) n.name = name;
    for (Value& v : hostile.g.values) v.name = name;
    hostile.g.name = name;
    Options off;
    off.comment_origin = false;
    EXPECT_EQ(all_text(plain, off), all_text(hostile, off));
    std::string text = all_text(hostile);
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    EXPECT_EQ(text.find("\n#"), text.npos);
    EXPECT_EQ(text.find("\\\n"), text.npos);
    EXPECT_EQ(text.find("?"
                        "?/"),
              text.npos);
    EXPECT_LT(text.size(), all_text(plain).size() + 20000);
  }
}

// Names in comments cannot break the code: a translation unit with all of them compiles.
TEST(Text, SourcesWithHostileNamesCompile) {
  std::vector<KernelText> kernels;
  for (const std::string& name : kHostile) {
    GraphMaker g;
    g.output(g.node("Relu", {g.input("x", {8})}));
    for (Node& n : g.g.nodes) n.name = name;
    for (KernelText k : emitted(g, *find_isa("scalar"))) {
      k.name += "_" + std::to_string(kernels.size());
      kernels.push_back(std::move(k));
    }
  }
  std::vector<const KernelText*> list;
  CompileJob job;
  for (const KernelText& k : kernels) list.push_back(&k), job.expected_symbols.push_back(k.name);
  job.name = "hostile", job.isa_name = "scalar", job.isa_flags = {"-march=x86-64", "-trigraphs"};
  job.source = translation_unit(list, "scalar");
  CompileOptions options;
  options.abi_version = CPPGEN_ABI_VERSION;
  options.force_disable_caches = true;
  EXPECT_EQ(build_kernels({job}, options).size(), 1u);
}

TEST(Text, EqualFunctionsAreEmittedOnce) {
  GraphMaker g;
  ValueId v = g.input("x", {64, 32});
  for (const char* w : {"w1", "w2", "w3"}) v = g.node("Tanh", {g.node("MatMul", {v, g.input(w, {32, 32})})});
  g.output(v);
  auto kernels = emitted(g, *find_isa("avx2"));
  size_t count = kernels.size();
  auto holder = share_functions(kernels);
  ASSERT_EQ(holder.size(), count);
  std::set<size_t> functions(holder.begin(), holder.end());
  EXPECT_LT(functions.size(), count);
  for (size_t i = 0; i < count; i++) {
    EXPECT_EQ(kernels[i].has_function(), holder[i] == i);
    EXPECT_EQ(kernels[i].symbol(), kernels[holder[i]].name);
  }
}

TEST(Text, UnitsHoldEveryKernelOnceAndInOrder) {
  std::vector<KernelText> kernels(7);
  for (size_t i = 0; i < kernels.size(); i++) kernels[i].function.assign(100 * (i + 1), 'x');
  for (int count : {1, 2, 3, 20}) {
    auto units = balance(kernels, count);
    EXPECT_EQ(units.size(), std::min<size_t>(size_t(count), kernels.size()));
    std::vector<size_t> all;
    for (const auto& u : units) {
      EXPECT_TRUE(std::is_sorted(u.begin(), u.end()));
      all.insert(all.end(), u.begin(), u.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6}));
  }
}

// The number of chains that a plan states: "columns: blocks of 64, 4 chains of operations side by side".
int64_t chains_of(const std::string& plan) {
  const size_t end = plan.find(" chains of operations");
  return end == plan.npos ? 1 : std::stoll(plan.substr(plan.rfind(' ', end - 1)));
}

// Operations of the longest kernel, each counted for every chain that computes it.
int64_t most_operations(GraphMaker& g) {
  int64_t most = 0;
  for (const KernelText& k : emitted(g, *find_isa("avx512"))) {
    int64_t operations = 0;
    for (size_t at = k.function.find("const auto t"); at != std::string::npos;
         at = k.function.find("const auto t", at + 1))
      operations++;
    most = std::max(most, operations * chains_of(k.plan.description));
  }
  return most;
}

// The time of g++ grows faster than the length of a function.
TEST(Text, VariadicOperatorsAreSeveralKernels) {
  enum class Inputs { equal, alternating, distinct, broadcast };
  for (const char* op : {"Max", "Min", "Sum", "Mean"})
    for (const int count : {100, 250, 1000})
      for (const Inputs inputs : {Inputs::equal, Inputs::alternating, Inputs::distinct, Inputs::broadcast}) {
        GraphMaker g;
        std::vector<ValueId> values = {g.input("x", {256})};
        const int different = inputs == Inputs::equal ? 1 : inputs == Inputs::alternating ? 3 : count;
        for (int i = 1; i < different; i++)
          values.push_back(g.input("x" + std::to_string(i), {inputs == Inputs::broadcast && i % 2 ? 1 : 256}));
        for (int i = different; i < count; i++) values.push_back(values[size_t(i - different)]);
        g.output(g.node(op, values));
        EXPECT_LE(most_operations(g), 512) << op << " of " << count << ", " << int(inputs);
      }
}

TEST(Text, LongChainsOfExtremesAreSeveralKernels) {
  GraphMaker g;
  const ValueId x = g.input("x", {256}), y = g.input("y", {256});
  ValueId v = x;
  for (int i = 0; i < 300; i++) v = g.node(i % 3 == 0 ? "Max" : i % 3 == 1 ? "Min" : "Sub", {v, i % 2 ? x : y});
  g.output(v);
  EXPECT_LE(most_operations(g), 512);
}

// Rows that share a set of the first-level cache would evict each other if as many were prefetched as of others.
TEST(Text, FewRowsOfOneSetOfTheCacheArePrefetched) {
  const auto text = [](int64_t columns) {
    GraphMaker g;
    const ValueId x = g.input("x", {512, columns});
    g.output(g.node("ReduceMax", {x}, {{"axes", std::vector<int64_t>{0}}}));
    return all_text(g);
  };
  const schedule::Tuning tuning(find_isa("avx2")->lanes);
  const auto ahead = [](int64_t rows, int64_t columns) { return fmt::format(" + {});", rows * columns); };
  ASSERT_LT(tuning.rows_per_set, tuning.rows_ahead);
  EXPECT_NE(text(1024).find(ahead(tuning.rows_per_set, 1024)), std::string::npos) << text(1024);
  EXPECT_NE(text(1000).find(ahead(tuning.rows_ahead, 1000)), std::string::npos) << text(1000);
}

// Heads of a multiple of the lanes begin at vectors, so that loads of joined heads are contiguous; others are not.
TEST(Text, VectorsDoNotCrossHeadsOfWholeVectors) {
  const auto loads_lanes = [](int64_t head, bool reduces) {
    GraphMaker g;
    const ValueId x = g.input("x", {1, 12, 32, head});
    const ValueId turned = g.node("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    const ValueId joined = g.node("Reshape", {turned, g.ints({1, 32, 12 * head})});
    g.output(reduces ? g.node("ReduceMax", {joined}) : g.node("Neg", {joined}));
    return all_text(g).find("ld_lanes") != std::string::npos;
  };
  for (const bool reduces : {false, true}) {
    EXPECT_FALSE(loads_lanes(64, reduces)) << reduces;
    EXPECT_TRUE(loads_lanes(20, reduces)) << reduces;
  }
}

}  // namespace
}  // namespace cppgen::codegen
