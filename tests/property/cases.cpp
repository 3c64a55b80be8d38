#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "runtime/base/setting_values.h"
#include "tests/property/differential.h"

namespace cppgen::property {
namespace {

schedule::Options random_options(std::mt19937_64& random) {
  auto one_of = [&](std::vector<int64_t> list) { return list[random() % list.size()]; };
  schedule::Options o;
  o.max_fusion_size = one_of({1, 4, 64, 64});
  o.max_horizontal_fusion_size = one_of({1, 2, 16});
  o.realize_reads_threshold = one_of({0, 1, 4, 100});
  o.realize_opcount_threshold = one_of({1, 30, 1000});
  o.realize_acc_reads_threshold = one_of({1, 8, 1000});
  o.unroll_reductions_threshold = one_of({0, 8, 40});
  o.epilogue_fusion = one_of({0, 1, 1});
  o.split_reductions = one_of({0, 1});
  o.layout_optimization = one_of({0, 1, 1});
  o.inplace_buffers = one_of({0, 1, 1});
  return o;
}

// Settings of fusion, loops and contractions.
void change_more(Case& c, std::mt19937_64& random) {
  auto one_of = [&](std::vector<int64_t> list) { return list[random() % list.size()]; };
  schedule::Options& o = c.options;
  o.max_fusion_unique_io_buffers = one_of({0, 0, 3, 6});
  o.combo_kernels = one_of({0, 1});
  o.aggressive_fusion = one_of({0, 0, 1});
  o.score_fusion_memory_threshold = one_of({0, 10, 1000});
  o.prologue_fusion = one_of({0, 1, 1});
  o.online_softmax = one_of({0, 1});
  o.realize_acc_reads_size_threshold = one_of({0, 0, 256});
  o.min_num_split = one_of({0, 0, 7});
  o.reorder_for_peak_memory = one_of({0, 1});
  o.pick_loop_orders = one_of({0, 1, 1});
  o.loop_ordering_after_fusion = one_of({0, 1});
  o.enable_tiling_heuristics = one_of({0, 1});
  o.conv_1x1_as_mm = one_of({0, 1});
  o.decompose_mem_bound_mm = one_of({0, 1});
  c.text.enable_loop_tail_vec = one_of({0, 1, 1});
  c.text.no_redundant_loops = one_of({0, 1});
}

// The settings that are not the default.
std::string settings_text(const Case& c) {
  std::string text;
  const auto add = [&](const char* name, const auto& value, const auto& otherwise) {
    if (value != otherwise) text += fmt::format(" {}={}", name, setting_values::print(value));
  };
#define CPPGEN_SETTING(...)
#define CPPGEN_SCHEDULE_SETTING(kind, field, name, ...) add(#name, c.options.field, schedule::Options().field);
#define CPPGEN_CODEGEN_SETTING(kind, field, name, ...) add(#name, c.text.field, codegen::Options().field);
#include "runtime/base/settings.def"
  return text;
}

// Does the same for every standard library, unlike std::hash.
uint64_t mix(uint64_t h, const std::string& text) {
  for (char c : text) h = (h ^ uint64_t(static_cast<unsigned char>(c))) * 0x100000001b3ull;
  return h;
}

ir::HostTensor sample(DType type, const std::vector<int64_t>& dims, InputRange range, bool specials, uint64_t seed) {
  std::mt19937_64 random(seed);
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  ir::HostTensor t{type, dims, {}};
  if (is_float(type)) {
    std::vector<double> values;
    const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
    for (int64_t i = 0; i < n; i++) {
      double v = std::uniform_real_distribution<double>(range.lo, range.hi)(random);
      values.push_back(specials && random() % 20 == 0 ? odd[random() % 5] : v);
    }
    Tensor made = make_floats(type, dims, values);
    t.bytes.resize(made.data.size);
    if (made.data.size) std::memcpy(t.bytes.data(), made.data.bytes, made.data.size);
    return t;
  }
  for (int64_t i = 0; i < n; i++) {
    int64_t v = std::uniform_int_distribution<int64_t>(int64_t(range.lo), int64_t(range.hi))(random);
    if (type == DType::boolean) v &= 1;
    if (is_small_int(type)) v = (v & (range_of(type).greatest - range_of(type).least)) + range_of(type).least;
    auto* raw = reinterpret_cast<const std::byte*>(&v);
    t.bytes.insert(t.bytes.end(), raw, raw + size_of(type));
  }
  return t;
}

int64_t dimension(IndexExpr d, int64_t symbol_value) {
  ir::IndexMap values;
  for (const auto* symbol : ir::variables_of(d)) values[symbol] = symbol_value;
  return ir::substitute(d, values).constant();
}

size_t node_count(const Case& c) { return c.random.graph.nodes.size(); }

}  // namespace

Case make_case(uint64_t seed) {
  Case c;
  c.seed = seed;
  c.random = make_random_graph(seed);
  std::mt19937_64 random(seed ^ 0xabcdef);
  if (random() % 2) c.options = random_options(random);
  c.run_passes = random() % 3 != 0;
  if (random() % 2) c.tuning_seed = random();
  std::mt19937_64 more(seed ^ 0x123456);
  if (more() % 2) change_more(c, more);
  return c;
}

// Other values of some constants: they decide how fast kernels are, never whether they are right.
schedule::Tuning tuning_of(const Case& c, schedule::Tuning tuning) {
  if (c.tuning_seed == 0) return tuning;
  std::mt19937_64 random(c.tuning_seed);
  for (const schedule::TuningRow& row : schedule::tuning_rows()) {
    if (random() % 4 != 0) continue;
    const double times = std::vector<double>{0.25, 0.5, 2, 4}[random() % 4];
    if (row.changes_bits && !c.tuning_of_bits) continue;
    if (row.integer)
      tuning.*row.integer = std::max<int64_t>(1, int64_t(double(tuning.*row.integer) * times));
    else
      tuning.*row.number *= times;
  }
  return tuning;
}

std::vector<ir::HostTensor> inputs_of(const Case& c, int64_t symbol_value) {
  std::vector<ir::HostTensor> inputs;
  for (ValueId v : c.random.graph.inputs) {
    const Value& value = c.random.graph.value(v);
    std::vector<int64_t> dims;
    for (IndexExpr d : value.type->shape) dims.push_back(dimension(d, symbol_value));
    auto range = c.random.ranges.find(value.name);
    bool index = range != c.random.ranges.end();
    InputRange r = index ? range->second : is_float(value.type->dtype) ? InputRange{} : InputRange{0, 3};
    inputs.push_back(sample(value.type->dtype, dims, r, c.random.special_values, mix(c.seed * 31 + 7, value.name)));
  }
  return inputs;
}

Case minimise(Case c, const VecISA& isa, DifferentialOptions options, int attempts) {
  options.isas = {&isa};
  auto still_fails = [&](const Case& smaller) {
    if (smaller.random.graph.nodes.empty() || node_count(smaller) >= node_count(c) || attempts-- <= 0) return false;
    return !check_cases({smaller}, options).empty();
  };
  auto try_graph = [&](RandomGraph smaller) {
    Case next = c;
    next.random = std::move(smaller);
    if (!still_fails(next)) return false;
    c = std::move(next);
    return true;
  };
  for (ValueId out : std::vector<ValueId>(c.random.graph.outputs))
    if (c.random.graph.outputs.size() > 1 && try_graph(with_output(c.random, out))) break;
  for (bool smaller = true; smaller && attempts > 0;) {
    smaller = false;
    for (NodeId n = 0; n < NodeId(c.random.graph.nodes.size()) && attempts > 0; n++)
      if (try_graph(without_node(c.random, n))) smaller = true, n--;
    // The last node away: its operands become the outputs.
    if (c.random.graph.nodes.empty()) break;
    for (ValueId in : std::vector<ValueId>(c.random.graph.nodes.back().inputs))
      if (in != kNoValue && c.random.graph.value(in).producer >= 0 && try_graph(with_output(c.random, in))) {
        smaller = true;
        break;
      }
  }
  return c;
}

std::string describe(const Case& c) {
  return fmt::format("seed {} (run again: --seed {} --graphs 1), N = {}, passes {},{} special values {}\n{}", c.seed,
                     c.seed, c.random.symbol_value, c.run_passes, settings_text(c), c.random.special_values,
                     to_string(c.random.graph));
}

}  // namespace cppgen::property
