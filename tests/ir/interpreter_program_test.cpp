// Programs: inputs, symbols, indirect indices, several writers, library calls.
#include <gtest/gtest.h>

#include "runtime/base/errors.h"
#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

template <class F>
std::string user_error_of(F f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

// y[i, j] = x[which[i], j], optionally only for i >= 1 (else -1)
struct Gather {
  Program p;
  IndexExpr n = p.index->symbol("N"), m = p.index->symbol("M");
  BufferId x = input(p, "x", DType::f32, {n, 3}), which = input(p, "which", DType::i64, {m}),
           y = output(p, "y", DType::f32, {m, 3});

  explicit Gather(bool guarded = false) {
    NestBuilder b(p, "gather");
    const IndexExpr i = b.loop("i", m), j = b.loop("j", 3), at = p.index->indirect(n);
    std::vector<Guard> guards;
    if (guarded) guards.push_back({i, 1, m});
    const Expr none = guarded ? p.exprs->constant(DType::f32, -1) : nullptr;
    b.store(y, {i, j}, p.exprs->load(x, DType::f32, {at, j}, guards, none, {{at.node(), load(p, which, {i})}}));
    b.done();
    verify(p);
  }

  std::vector<float> run(const std::vector<int64_t>& at) {
    const HostTensor table = tensor<float>(DType::f32, {4, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32});
    return values_of<float>(interpret(p, {table, tensor(DType::i64, {static_cast<int64_t>(at.size())}, at)})[0]);
  }
};

TEST(Indirect, NegativeIndicesCountFromTheEnd) {
  EXPECT_EQ(Gather().run({2, -1, -4}), (std::vector<float>{20, 21, 22, 30, 31, 32, 0, 1, 2}));
}

TEST(Indirect, OutOfRangeNamesNodeValueAndExtent) {
  EXPECT_EQ(user_error_of([] {
              Gather().run({0, 4});
            }),
            "node the_node: index 4 is out of range for a dimension of size 4 (allowed: -4 to 3)");
  EXPECT_EQ(user_error_of([] { Gather().run({-5}); }),
            "node the_node: index -5 is out of range for a dimension of size 4 (allowed: -4 to 3)");
}

TEST(Indirect, IsNotCheckedWhereAGuardFails) {
  EXPECT_EQ(Gather(true).run({99, 1}), (std::vector<float>{-1, -1, -1, 10, 11, 12}));
  EXPECT_NE(user_error_of([] { Gather(true).run({0, 99}); }), "no error");
}

TEST(Programs, SeveralStatementsWriteOneBuffer) {
  Program p;
  const IndexExpr n = p.index->symbol("N"), m = p.index->symbol("M");
  const BufferId a = input(p, "a", DType::f32, {n}), b = input(p, "b", DType::f32, {m}),
                 y = output(p, "y", DType::f32, {n + m});
  NestBuilder first(p, "concat_0"), second(p, "concat_1");
  const IndexExpr i = first.loop("i", n), j = second.loop("i", m);
  first.store(y, {i}, load(p, a, {i}));
  first.done();
  second.store(y, {n + j}, load(p, b, {j}));
  second.done();
  verify(p);
  const auto out = interpret(p, {tensor<float>(DType::f32, {2}, {1, 2}), tensor<float>(DType::f32, {3}, {3, 4, 5})})[0];
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{1, 2, 3, 4, 5}));
  const auto empty = interpret(p, {tensor<float>(DType::f32, {0}, {}), tensor<float>(DType::f32, {1}, {3})})[0];
  EXPECT_EQ(values_of<float>(empty), (std::vector<float>{3}));
}

TEST(Programs, ScalarsConstantsAndTemporaries) {
  Program p;
  const BufferId x = input(p, "x", DType::f64, {}), c = constant<double>(p, DType::f64, {2}, {3, 4}),
                 t = p.add_buffer("", DType::f64, {}, BufferKind::temporary), y = output(p, "y", DType::f64, {2});
  NestBuilder square(p, "square"), scale(p, "scale");
  square.store(t, {}, p.exprs->binary(BinaryOp::mul, load(p, x, {}), load(p, x, {})));
  square.done();
  const IndexExpr i = scale.loop("i", 2);
  scale.store(y, {i}, p.exprs->binary(BinaryOp::mul, load(p, c, {i}), load(p, t, {})));
  scale.done();
  p.outputs.push_back(x);
  verify(p);
  const auto out = interpret(p, {tensor<double>(DType::f64, {}, {0.5})});
  EXPECT_EQ(values_of<double>(out[0]), (std::vector<double>{0.75, 1}));
  EXPECT_EQ(values_of<double>(out[1]), (std::vector<double>{0.5}));
}

TEST(Programs, RefuseInputsThatDoNotFit) {
  Program p;
  const IndexExpr n = p.index->symbol("N", 1, 8);
  const BufferId a = input(p, "left", DType::f32, {n, 2}), b = input(p, "right", DType::f32, {n}),
                 y = output(p, "y", DType::f32, {n});
  NestBuilder nest(p);
  const IndexExpr i = nest.loop("i", n);
  nest.store(y, {i}, p.exprs->binary(BinaryOp::add, load(p, a, {i, 0}), load(p, b, {i})));
  nest.done();
  verify(p);
  const auto f = [](std::vector<int64_t> dims) {
    HostTensor t{DType::f32, dims, {}};
    t.bytes.resize(static_cast<size_t>(t.elements()) * 4);
    return t;
  };
  const auto error = [&](std::vector<HostTensor> in, SymbolValues s = {}) {
    return user_error_of([&] { interpret(p, in, s); });
  };
  EXPECT_EQ(error({f({3, 2}), f({3})}), "no error");
  EXPECT_EQ(error({f({3, 2})}), "the model has 2 inputs, but 1 are given");
  EXPECT_EQ(error({f({3, 5}), f({3})}), "input \"left\": dimension 1 is 5, but the model says 2");
  EXPECT_EQ(error({f({3, 2}), f({4})}), "input \"right\": the dimension N is 4, but elsewhere it is 3");
  EXPECT_EQ(error({f({3, 2}), f({3})}, {{"N", 5}}), "input \"left\": the dimension N is 3, but elsewhere it is 5");
  EXPECT_EQ(error({f({9, 2}), f({9})}), "input \"left\": the dimension N is 9, allowed is 1 to 8");
  EXPECT_EQ(error({f({3}), f({3})}), "input \"left\" has rank 2, not 1");
  EXPECT_EQ(error({f({3, 2}), tensor<double>(DType::f64, {1}, {1})}), "input \"right\" has type float32, not float64");
  HostTensor cut = f({3});
  cut.bytes.pop_back();
  EXPECT_EQ(error({f({3, 2}), cut}), "input \"right\" has 11 bytes, but its shape requires 12");
}

TEST(Programs, NeedEverySymbol) {
  Program p;
  const IndexExpr n = p.index->symbol("length");
  const BufferId y = output(p, "y", DType::i64, {n});
  NestBuilder nest(p, "range");
  const IndexExpr i = nest.loop("i", n);
  nest.store(y, {i}, p.exprs->index(i));
  nest.done();
  EXPECT_EQ(values_of<int64_t>(interpret(p, {}, {{"length", 3}})[0]), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(user_error_of([&] { interpret(p, {}); }),
            "the dimension length does not follow from any input: its value is required");
}

// A filter that keeps the positive values: how many there are is known only afterwards.
TEST(Programs, LibraryCallsDecideDimensions) {
  Program p;
  const IndexExpr n = p.index->symbol("N"), kept = p.index->symbol("kept");
  const BufferId x = input(p, "x", DType::f32, {n}), t = p.add_buffer("t", DType::f32, {kept}, BufferKind::temporary),
                 y = output(p, "y", DType::f32, {kept});
  p.statements.push_back(LibraryCall{"positive", {x}, {t}, {n, 7}, {0.5}, {"filter_node"}});
  NestBuilder nest(p);
  const IndexExpr i = nest.loop("i", kept);
  nest.store(y, {i}, p.exprs->unary(UnaryOp::neg, load(p, t, {i})));
  nest.done();
  verify(p);
  const LibraryTable table = {{"positive", [](const auto& in, const auto& params, const auto& numbers, auto& out) {
                                 EXPECT_EQ(params, (std::vector<int64_t>{3, 7}));
                                 EXPECT_EQ(numbers, (std::vector<double>{0.5}));
                                 EXPECT_EQ(out[0]->dims, (std::vector<int64_t>{-1}));
                                 std::vector<float> result;
                                 for (int64_t k = 0; k < in[0]->elements(); k++)
                                   if (in[0]->template as<float>()[k] > 0)
                                     result.push_back(in[0]->template as<float>()[k]);
                                 *out[0] = tensor(DType::f32, {static_cast<int64_t>(result.size())}, result);
                               }}};
  const HostTensor in = tensor<float>(DType::f32, {3}, {1, -2, 3});
  EXPECT_EQ(values_of<float>(interpret(p, {in}, {}, table)[0]), (std::vector<float>{-1, -3}));
  EXPECT_EQ(user_error_of([&] { interpret(p, {in}); }), "there is no library function positive (node filter_node)");
}

TEST(Programs, AnIndexThatLeavesItsTensorIsOurBug) {
  Program p;
  const IndexExpr n = p.index->symbol("N");
  const BufferId x = input(p, "x", DType::f32, {n, 4}), y = output(p, "y", DType::f32, {n});
  NestBuilder nest(p);
  const IndexExpr i = nest.loop("i", n);
  nest.store(y, {i}, load(p, x, {0, i}));  // inside the tensor, but not inside the row for N > 4
  nest.done();
  const auto run = [&](int64_t size) {
    interpret(p, {tensor<float>(DType::f32, {size, 4}, std::vector<float>(static_cast<size_t>(size) * 4))});
  };
  EXPECT_NO_THROW(run(4));
  EXPECT_THROW(run(5), InternalError);
}

}  // namespace
}  // namespace cppgen::ir
