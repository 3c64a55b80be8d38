#include "runtime/values/random_inputs.h"

#include <fmt/format.h>

#include <charconv>

#include "runtime/base/checked.h"
#include "runtime/base/coded_floats.h"
#include "runtime/base/errors.h"
#include "runtime/base/narrow_floats.h"
#include "runtime/base/usable_memory.h"
#include "runtime/base/value_types.h"
#include "runtime/plan/sample_sizes.h"

namespace cppgen::rt {
namespace {

// SplitMix64: Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // Twelve uniform numbers have variance 1 together. Sums of integers are exact, so no machine rounds differently, and
  // the result, of 20 bits, is exact in float32.
  double normal() {
    int64_t sum = 0;
    for (int i = 0; i < 3; i++)
      for (uint64_t bits = next(), j = 0; j < 4; j++, bits >>= 16) sum += int64_t(bits & 0xFFFF);
    return double(2 * sum - 12 * 0xFFFF) / double(2 * 0x10000);
  }

  uint64_t below(uint64_t extent) { return uint64_t((static_cast<unsigned __int128>(next()) * extent) >> 64); }

 private:
  uint64_t state_;
};

template <class T, class F>
void fill(Tensor& tensor, F f) {
  T* data = tensor.as<T>();
  for (int64_t i = 0, n = tensor.elements(); i < n; i++) data[i] = T(f());
}

void fill_random(Tensor& tensor, int64_t index_extent, Random& random) {
  const DType type = tensor.type();
  if (is_narrow_float(type))
    return with_narrow_float(type, [&]<class Narrow>(Narrow) {
      fill<typename Narrow::Bits>(tensor, [&] { return Narrow::narrowed(float(random.normal())); });
    });
  if (is_coded_float(type)) return fill<uint8_t>(tensor, [&] { return encoded(type, float(random.normal())); });
  if (is_small_int(type)) {
    const IntegerRange range = range_of(type);
    const auto count = uint64_t(range.greatest - range.least + 1);
    return fill<int8_t>(tensor, [&] { return range.least + int64_t(random.below(count)); });
  }
  const uint64_t extent = type != DType::boolean && index_extent > 0 ? uint64_t(index_extent) : 2;
  with_value_type(type, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      fill<T>(tensor, [&] { return random.normal(); });
    else
      fill<Stored<T>>(tensor, [&] { return random.below(extent); });
  });
}

// The values of the plan's symbols, in order.
std::vector<int64_t> sizes_of(const Plan& plan, std::map<std::string, int64_t> symbols) {
  add_sizes_of_maps(plan, symbols);
  std::vector<int64_t> values;
  for (const Symbol& symbol : plan.symbols) {
    const auto it = symbols.find(symbol.name);
    if (it == symbols.end())
      user_error("the dimension {} (input '{}' axis {}) needs a value{}", symbol.name,
                 plan.inputs[size_t(symbol.input)].name, symbol.axis, suggested_sizes(plan, symbols));
    values.push_back(it->second);
  }
  for (const auto& [name, value] : symbols) {
    bool known = false;
    for (const Symbol& symbol : plan.symbols) known |= symbol.name == name;
    if (!known) user_error("the model has no dimension {}", name);
    if (value < 0) user_error("the dimension {} is {}; dimensions must be at least 0", name, value);
  }
  return values;
}

std::vector<int64_t> dims_of(const TensorInfo& info, const std::vector<int64_t>& symbols) {
  std::vector<int64_t> dims;
  for (const DimExpr& dim : info.dims) dims.push_back(evaluate(dim, symbols));
  return dims;
}

void require_memory_for(const Plan& plan, const std::vector<int64_t>& symbols, const std::set<size_t>& given,
                        int64_t max_bytes) {
  int64_t bytes = 0;
  for (size_t i = 0; i < plan.inputs.size(); i++) {
    const TensorInfo& info = plan.inputs[i];
    if (given.count(i) || (info.kind != ValueKind::tensor && info.kind != ValueKind::strings)) continue;
    const int64_t width = info.kind == ValueKind::strings ? int64_t(sizeof(std::string)) : int64_t(size_of(info.type));
    const int64_t own = checked_mul(element_count(dims_of(info, symbols)), width, "size of an input");
    bytes = checked_add(bytes, own, "size of the inputs");
  }
  require_memory(bytes, max_bytes, "random inputs with these dimensions");
}

Value keys_of_map(const TensorInfo& info, const std::vector<int64_t>& dims) {
  const int64_t count = element_count(dims);
  if (count > int64_t(info.map_keys.size()))
    user_error("input '{}': a random map has at most the {} keys that the model knows; {} are requested", info.name,
               info.map_keys.size(), count);
  if (info.kind == ValueKind::strings)
    return StringTensor{dims, {info.map_keys.begin(), info.map_keys.begin() + count}};
  Tensor keys(info.type, dims);
  for (size_t i = 0; i < size_t(count); i++) {
    const std::string& text = info.map_keys[i];
    std::from_chars(text.data(), text.data() + text.size(), keys.as<int64_t>()[i]);
  }
  return keys;
}

Value random_value(const TensorInfo& info, const std::vector<int64_t>& symbols, Random& random) {
  std::vector<int64_t> dims = dims_of(info, symbols);
  if (!info.map_keys.empty()) return keys_of_map(info, dims);
  if (info.kind == ValueKind::tensor) {
    Tensor tensor(info.type, dims);
    fill_random(tensor, info.index_extent, random);
    return tensor;
  }
  if (info.kind != ValueKind::strings)
    user_error("input '{}' is {}: random values cannot be made for it", info.name,
               info.kind == ValueKind::sequence ? "a sequence" : "an optional");
  StringTensor strings{dims, std::vector<std::string>(size_t(element_count(dims)))};
  for (std::string& text : strings.elements) text = fmt::format("word{}", random.below(10));
  return strings;
}

}  // namespace

void add_sizes_of_maps(const Plan& plan, std::map<std::string, int64_t>& symbols) {
  for (const Symbol& symbol : plan.symbols) {
    const TensorInfo& info = plan.inputs[size_t(symbol.input)];
    if (!info.map_keys.empty()) symbols.emplace(symbol.name, int64_t(info.map_keys.size()));
  }
}

std::vector<Value> random_values(const Plan& plan, const std::map<std::string, int64_t>& symbols, uint64_t seed,
                                 const std::set<size_t>& given, int64_t max_bytes) {
  const std::vector<int64_t> sizes = sizes_of(plan, symbols);
  require_memory_for(plan, sizes, given, max_bytes);
  Random random(seed);
  std::vector<Value> inputs(plan.inputs.size());
  for (size_t i = 0; i < inputs.size(); i++)
    if (!given.count(i)) inputs[i] = random_value(plan.inputs[i], sizes, random);
  return inputs;
}

std::vector<Tensor> random_inputs(const Plan& plan, const std::map<std::string, int64_t>& symbols, uint64_t seed,
                                  int64_t max_bytes) {
  for (const TensorInfo& info : plan.inputs)
    if (info.kind != ValueKind::tensor)
      user_error("input '{}' is not a numeric tensor: random values cannot be made for it", info.name);
  std::vector<Tensor> inputs;
  for (Value& value : random_values(plan, symbols, seed, {}, max_bytes))
    inputs.push_back(std::move(value).take_tensor());
  return inputs;
}

}  // namespace cppgen::rt
