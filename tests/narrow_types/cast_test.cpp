// Casts between all types, compiled for every instruction set and compared with the interpreter: the same bits.
#include "tests/narrow_types/cases.h"

namespace cppgen::property {
namespace {

// Large enough to overflow the narrow types, with special values where there are some.
Case cast_case(DType from, DType to, Shape shape, bool saturate) {
  GraphMaker g(25);
  ValueId x = g.input("x", std::move(shape), from);
  g.output(g.node("Cast", {x}, {{"to", onnx_number(to)}, {"saturate", int64_t(saturate)}}));
  const double most = is_float(from) ? 1e3 : 1e5;
  return exact_case(std::move(g), {is_unsigned_int(from) ? 0 : -most, most});
}

TEST(NarrowTypes, CastsBetweenAllTypes) {
  std::vector<Case> cases;
  const std::vector<DType> types = types_that([](DType) { return true; });
  for (DType from : types)
    for (DType to : types)
      if (from != to) cases.push_back(cast_case(from, to, {67}, true));
  expect_cases_agree(cases);
}

TEST(NarrowTypes, CastsOfManyShapes) {
  std::vector<Case> cases;
  const std::vector<Shape> shapes{
      {}, {0}, {1}, {3, 0, 2}, {2, 17}, {5, 1, 7}, {1, 2, 3, 4}, {2, 3, 1, 2, 5}, {2, 1, 3, 2, 2, 3}};
  for (const Shape& shape : shapes)
    for (auto [from, to] : {std::pair(DType::f32, DType::f8e4m3fn),
                            {DType::f16, DType::f8e5m2fnuz},
                            {DType::f8e5m2, DType::bf16},
                            {DType::i4, DType::f32},
                            {DType::i32, DType::u4},
                            {DType::f32, DType::i2},
                            {DType::f16, DType::f4e2m1},
                            {DType::f64, DType::f8e8m0},
                            {DType::f8e8m0, DType::f16}})
      cases.push_back(cast_case(from, to, shape, false));
  expect_cases_agree(cases);
}

// What a type keeps of a value stays kept where the value itself is never stored.
TEST(NarrowTypes, RoundingIsNotFusedAway) {
  std::vector<Case> cases;
  const auto rounds = [](DType t) { return is_narrow(t) || dtype_row(t).storage == DTypeStorage::narrow_float; };
  for (DType type : types_that(rounds))
    for (bool saturate : {true, false}) {
      GraphMaker g(21);
      ValueId x = g.input("x", {9, 35});
      ValueId narrow = g.node("Cast", {x}, {{"to", onnx_number(type)}, {"saturate", int64_t(saturate)}});
      ValueId wide = g.node("Cast", {narrow}, {{"to", onnx_number(DType::f32)}});
      g.output(g.node("Mul", {wide, g.floats({}, {0.5})}));
      g.output(g.node("Cast", {g.node("Transpose", {narrow})}, {{"to", onnx_number(DType::f16)}}));
      cases.push_back(exact_case(std::move(g), {-1e5, 1e5}));
    }
  expect_cases_agree(cases);
}

TEST(NarrowTypes, ElementsAreMoved) {
  std::vector<Case> cases;
  for (DType type : types_that(is_narrow)) {
    GraphMaker g(21);
    ValueId x = g.input("x", {3, 37}, type), y = g.input("y", {3, 5}, type);
    g.output(g.node("Transpose", {x}));
    g.output(g.node("Concat", {x, y}, {{"axis", int64_t{1}}}));
    g.output(g.node("Pad", {x, g.ints({1, 0, 0, 3})}));
    g.output(g.node("Slice", {x, g.ints({36}), g.ints({-100}), g.ints({1}), g.ints({-3})}));
    g.output(g.node("Gather", {x, g.ints({2, 0})}));
    g.output(g.node("Reshape", {x, g.ints({37, 3})}));
    cases.push_back(exact_case(std::move(g), {-8, 15}));
  }
  expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::property
