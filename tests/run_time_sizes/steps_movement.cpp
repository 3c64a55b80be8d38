// Operators that move elements, by sizes and positions that only a run knows.
#include <algorithm>
#include <numeric>

#include "tests/run_time_sizes/maker.h"

namespace cppgen::sizes {
namespace {

using Operands = std::vector<const Exact*>;

Dims integers(const Exact& x) { return {x.values.begin(), x.values.end()}; }

// A vector of `count` integers: sizes and constants.
const Tracked* list_of(Maker& m, size_t count, int64_t lo, int64_t hi, double variable = 0.5) {
  const Tracked* list = nullptr;
  for (size_t i = 0; i < count; i++) {
    const Tracked* one = m.chance(variable) ? m.size() : &m.constant({m.uniform(lo, hi)});
    if (!one) one = &m.constant({m.uniform(lo, hi)});
    list = list ? m.add("Concat", {list, one}, {{"axis", int64_t{0}}},
                        [](const Operands& in) { return concat(*in[0], *in[1], 0); })
                : one;
    if (!list) return nullptr;
  }
  return list;
}

size_t any_axis(Maker& m, const Tracked& x) { return size_t(m.uniform(0, int64_t(x.rank()) - 1)); }

bool slice_by_sizes(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const size_t axis = any_axis(m, *x);
  const Tracked *begin = m.chance(0.6) ? m.size() : &m.constant({m.uniform(-3, 2)}),
                *end = m.chance(0.7) ? m.size() : &m.constant({m.chance(0.5) ? 1000 : m.uniform(-2, 4)});
  const std::vector<int64_t> steps{1, 1, 1, 2, -1, -2};
  const int64_t step = steps[size_t(m.uniform(0, 5))];
  return begin && end &&
         m.add("Slice", {x, begin, end, &m.constant({int64_t(axis)}), &m.constant({step})}, {},
               [&](const Operands& in) {
                 return slice(*in[0], axis, int64_t(in[1]->values[0]), int64_t(in[2]->values[0]), step);
               });
}

// x[i : i + 1], whose dimension is 0 or 1.
bool one_row(Maker& m) {
  const Tracked *x = m.number(1), *at = m.size();
  if (!x || !at) return false;
  const size_t axis = any_axis(m, *x);
  const Tracked* next = m.add("Add", {at, &m.constant({1})}, {},
                              [](const Operands& in) { return pointwise(*in[0], *in[1], std::plus<>()); });
  return next && m.add("Slice", {x, at, next, &m.constant({int64_t(axis)})}, {}, [&](const Operands& in) {
    return slice(*in[0], axis, int64_t(in[1]->values[0]), int64_t(in[2]->values[0]), 1);
  });
}

bool expand_to_sizes(Maker& m) {
  const Tracked* x = m.number(0, 3);
  const Tracked* shape = x ? list_of(m, x->rank() + size_t(m.uniform(0, 1)), 1, 3, 0.6) : nullptr;
  return shape && m.add("Expand", {x, shape}, {}, [](const Operands& in) { return expand(*in[0], integers(*in[1])); });
}

bool reshape_to_sizes(Maker& m) {
  const Tracked* x = m.number();
  if (!x) return false;
  const Tracked* shape = nullptr;
  if (m.chance(0.5)) {  // to and from one dimension, or with the last two exchanged
    const Tracked* open = &m.constant({-1});
    const Tracked* first = m.chance(0.3) ? &m.constant({0}) : m.size();
    shape = m.chance(0.3) || !first ? open
                                    : m.add("Concat", {first, open}, {{"axis", int64_t{0}}},
                                            [](const Operands& in) { return concat(*in[0], *in[1], 0); });
  } else {
    shape = list_of(m, size_t(m.uniform(1, 3)), -1, 3, 0.7);
  }
  const bool zero = m.chance(0.2);
  const Attributes attributes = zero ? Attributes{{"allowzero", int64_t{1}}} : Attributes{};
  return shape && m.add("Reshape", {x, shape}, attributes,
                        [&](const Operands& in) { return reshape(*in[0], integers(*in[1]), zero); });
}

bool concat_two(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const size_t axis = any_axis(m, *x);
  const Tracked* y = m.pick([&](const Tracked& t) {
    return t.kind() == Kind::number && t.rank() == x->rank() && concat(x->runs[0], t.runs[0], axis);
  });
  return y && m.add("Concat", {x, y}, {{"axis", int64_t(axis)}},
                    [&](const Operands& in) { return concat(*in[0], *in[1], axis); });
}

const Tracked* scalar_of(Maker& m, const Tracked* size) {
  return size ? m.add("Squeeze", {size, &m.constant({0})}, {}, [](const Operands& in) { return squeeze(*in[0], 0); })
              : nullptr;
}

const Tracked* some_range(Maker& m) {
  const Tracked* begin = m.chance(0.5) ? &m.constant({0}, true) : scalar_of(m, m.size());
  const Tracked* end = scalar_of(m, m.size());
  const Tracked* step = &m.constant({m.chance(0.7) ? 1 : m.chance(0.5) ? 2 : -1}, true);
  return begin && end
             ? m.add("Range", {begin, end, step}, {},
                     [](const Operands& in) {
                       return range(int64_t(in[0]->values[0]), int64_t(in[1]->values[0]), int64_t(in[2]->values[0]));
                     })
             : nullptr;
}

bool gather_range(Maker& m) {
  const Tracked *x = m.number(1), *at = some_range(m);
  if (!x || !at) return false;
  const size_t axis = any_axis(m, *x);
  return m.add("Gather", {x, at}, {{"axis", int64_t(axis)}},
               [&](const Operands& in) { return gather(*in[0], *in[1], axis); });
}

bool numbers_of_range(Maker& m) {
  const Tracked* list = some_range(m);
  return list && m.add("Cast", {list}, {{"to", int64_t{onnx::TensorProto::FLOAT}}}, [](const Operands& in) -> Result {
    Exact out = *in[0];
    out.kind = Kind::number;
    return out;
  });
}

bool pad_by_sizes(Maker& m) {
  const Tracked* x = m.number(1, 3);
  const Tracked* pads = x ? list_of(m, 2 * x->rank(), 0, 2, 0.3) : nullptr;
  if (!pads) return false;
  const std::vector<std::pair<const char*, Pad>> modes{
      {"constant", Pad::constant}, {"edge", Pad::edge}, {"reflect", Pad::reflect}};
  const auto& [name, mode] = modes[size_t(m.uniform(0, 2))];
  return m.add("Pad", {x, pads}, {{"mode", std::string(name)}},
               [&](const Operands& in) { return pad(*in[0], integers(*in[1]), mode); });
}

bool tile_by_sizes(Maker& m) {
  const Tracked* x = m.number(1, 3);
  const Tracked* repeats = x ? list_of(m, x->rank(), 1, 2, 0.5) : nullptr;
  return repeats && m.add("Tile", {x, repeats}, {}, [](const Operands& in) { return tile(*in[0], integers(*in[1])); });
}

// The elements where a mask, or a value that is free of rounding, is not 0.
bool found_elements(Maker& m) {
  const Tracked* where = m.pick([](const Tracked& t) {
    return t.rank() > 0 && t.rank() < 4 && (t.kind() == Kind::truth || (t.kind() == Kind::number && !t.runs[0].error));
  });
  const Tracked* at =
      where ? m.add("NonZero", {where}, {}, [](const Operands& in) -> Result { return positions(*in[0]); }) : nullptr;
  const Tracked* rows = at ? m.add("Transpose", {at}, {{"perm", std::vector<int64_t>{1, 0}}},
                                   [](const Operands& in) -> Result {
                                     return transpose(*in[0], {1, 0});
                                   })
                           : nullptr;
  const Tracked* x = rows ? m.number(where->rank(), where->rank()) : nullptr;
  return x && m.add("GatherND", {x, rows}, {}, [](const Operands& in) { return gather_points(*in[0], *in[1]); });
}

bool compress_by_mask(Maker& m) {
  const Tracked* x = m.number(1);
  const Tracked* mask = m.pick([](const Tracked& t) { return t.kind() == Kind::truth && t.rank() == 1; });
  if (!x || !mask) return false;
  const size_t axis = any_axis(m, *x);
  return m.add("Compress", {x, mask}, {{"axis", int64_t(axis)}},
               [&](const Operands& in) { return compress(*in[0], *in[1], axis); });
}

bool transposed(Maker& m) {
  const Tracked* x = m.number(2);
  if (!x) return false;
  std::vector<size_t> order(x->rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[any_axis(m, *x)], order[any_axis(m, *x)]);
  return m.add("Transpose", {x}, {{"perm", std::vector<int64_t>(order.begin(), order.end())}},
               [&](const Operands& in) -> Result { return transpose(*in[0], order); });
}

bool unsqueezed(Maker& m) {
  const Tracked* x = m.number(0, 3);
  if (!x) return false;
  const auto axis = size_t(m.uniform(0, int64_t(x->rank())));
  return m.add("Unsqueeze", {x, &m.constant({int64_t(axis)})}, {},
               [&](const Operands& in) -> Result { return unsqueeze(*in[0], axis); });
}

bool squeezed(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const size_t axis = any_axis(m, *x);
  return m.add("Squeeze", {x, &m.constant({int64_t(axis)})}, {},
               [&](const Operands& in) { return squeeze(*in[0], axis); });
}

bool first_part(Maker& m) {
  const Tracked *x = m.number(1), *size = m.size();
  if (!x || !size) return false;
  const size_t axis = any_axis(m, *x);
  const Tracked* shape =
      m.add("Shape", {x}, {{"start", int64_t(axis)}, {"end", int64_t(axis) + 1}}, [&](const Operands& in) -> Result {
        return Exact{Kind::integer, {1}, {double(in[0]->dims[axis])}, 0};
      });
  const Tracked* rest = shape ? m.add("Sub", {shape, size}, {},
                                      [](const Operands& in) { return pointwise(*in[0], *in[1], std::minus<>()); })
                              : nullptr;
  const Tracked* parts = rest ? m.add("Concat", {size, rest}, {{"axis", int64_t{0}}},
                                      [](const Operands& in) { return concat(*in[0], *in[1], 0); })
                              : nullptr;
  return parts && m.add(
                      "Split", {x, parts}, {{"axis", int64_t(axis)}},
                      [&](const Operands& in) -> Result {
                        const auto first = int64_t(in[1]->values[0]);
                        if (first < 0 || first > in[0]->dims[axis]) return std::nullopt;
                        return slice(*in[0], axis, 0, first, 1);
                      },
                      2);
}

}  // namespace

std::vector<Step> movement_steps() {
  return {{"slice", 5, slice_by_sizes},     {"one_row", 4, one_row},           {"expand", 4, expand_to_sizes},
          {"reshape", 4, reshape_to_sizes}, {"concat", 3, concat_two},         {"gather_range", 3, gather_range},
          {"range", 2, numbers_of_range},   {"pad", 3, pad_by_sizes},          {"tile", 2, tile_by_sizes},
          {"found", 3, found_elements},     {"compress", 3, compress_by_mask}, {"transpose", 2, transposed},
          {"unsqueeze", 2, unsqueezed},     {"squeeze", 2, squeezed},          {"split", 2, first_part}};
}

}  // namespace cppgen::sizes
