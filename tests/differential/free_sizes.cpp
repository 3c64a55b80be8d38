#include "tests/differential/free_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/differential/numbers.h"

namespace cppgen::differential {
namespace {

constexpr int64_t kSizeOfN = 5;

template <class Name>
FreeSizes named(const std::vector<Dims>& sizes, Name name) {
  FreeSizes free;
  for (size_t i = 0; i < sizes.size(); i++) {
    free.symbols.emplace_back();
    for (size_t d = 0; d < sizes[i].size(); d++) free.symbols[i].push_back(name(i, d));
  }
  return free;
}

std::set<std::string> names_in(const FreeSizes& free) {
  std::set<std::string> names;
  for (const auto& dims : free.symbols) names.insert(dims.begin(), dims.end());
  names.erase("");
  return names;
}

FreeSizes only(FreeSizes free, const std::string& kept) {
  for (auto& dims : free.symbols)
    for (std::string& name : dims)
      if (name != kept) name.clear();
  return free;
}

template <class DimOf>
Graph with_dims(const Sample& s, DimOf dim_of) {
  Graph g = parse(*s.row, s.text, s.type.value_or(DType::f32)).graph;  // with symbols and assumptions of its own
  for (size_t i = 0; i < g.inputs.size(); i++) {
    Shape& shape = g.value(g.inputs[i]).type->shape;
    for (size_t d = 0; d < shape.size(); d++) shape[d] = dim_of(g, i, d);
  }
  return g;
}

}  // namespace

std::vector<Dims> sizes_of(const Sample& s) {
  std::vector<Dims> sizes;
  for (ValueId v : s.graph.inputs) {
    sizes.emplace_back();
    for (IndexExpr d : s.graph.value(v).type->shape) sizes.back().push_back(d.is_constant() ? d.constant() : kSizeOfN);
  }
  return sizes;
}

std::vector<FreeSizes> free_sizes(const std::vector<Dims>& sizes) {
  const FreeSizes apart = named(sizes, [](size_t i, size_t d) { return fmt::format("D{}_{}", i, d); });
  const FreeSizes shared = named(sizes, [&](size_t i, size_t d) { return fmt::format("S{}", sizes[i][d]); });
  std::vector<FreeSizes> all{apart, shared};
  for (const FreeSizes& together : {apart, shared})
    for (const std::string& name : names_in(together)) all.push_back(only(together, name));
  std::vector<FreeSizes> distinct;
  for (const FreeSizes& f : all)
    if (!names_in(f).empty() && std::find(distinct.begin(), distinct.end(), f) == distinct.end()) distinct.push_back(f);
  return distinct;
}

std::vector<std::vector<Dims>> runs_of(const FreeSizes& free, const std::vector<Dims>& sizes) {
  std::vector<std::vector<Dims>> runs;
  for (const std::string& name : names_in(free))
    for (int64_t size : {0, 1, 2}) {
      runs.push_back(sizes);
      for (size_t i = 0; i < sizes.size(); i++)
        for (size_t d = 0; d < sizes[i].size(); d++)
          if (free.symbols[i][d] == name) runs.back()[i][d] = size;
    }
  return runs;
}

Graph graph_with(const Sample& s, const FreeSizes& free) {
  const std::vector<Dims> sizes = sizes_of(s);
  return with_dims(s, [&](Graph& g, size_t i, size_t d) {
    const std::string& name = free.symbols[i][d];
    return name.empty() ? IndexExpr(sizes[i][d]) : g.index->symbol(name);
  });
}

Graph graph_with(const Sample& s, const std::vector<Dims>& sizes) {
  return with_dims(s, [&](Graph&, size_t i, size_t d) { return IndexExpr(sizes[i][d]); });
}

std::vector<ir::HostTensor> inputs_with(const Sample& s, const std::vector<Dims>& sizes) {
  std::vector<ir::HostTensor> inputs;
  for (size_t i = 0; i < sizes.size(); i++) {
    const Value& value = s.graph.value(s.graph.inputs[i]);
    const auto range = s.ranges.find(value.name);
    const Tensor t =
        make_numbers(value.type->dtype, sizes[i], range == s.ranges.end() ? std::nullopt : std::optional(range->second),
                     Numbers::ordinary, 7919 * (i + 1));
    const auto* bytes = static_cast<const std::byte*>(t.data.bytes);
    inputs.push_back({t.dtype, sizes[i], {bytes, bytes + t.data.size}});
  }
  return inputs;
}

}  // namespace cppgen::differential
