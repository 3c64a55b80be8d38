#include "tests/control_flow/random_model.h"

#include "tests/control_flow/block.h"

namespace cppgen::modules {
namespace {

constexpr size_t kRuns = 2;

Value random_floats(const Dims& dims, std::mt19937_64& random) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<float> values;
  for (int64_t i = 0; i < count; i++) values.push_back(float(int64_t(random() % 2001) - 1000) / 1000.0f);
  return floats(dims, values);
}

// Sums in another order, and functions whose approximations differ by some units in the last place.
void expect_close(const Value& a, const Value& b) {
  ASSERT_EQ(a.description(), b.description());
  if (!a.tensor()) return;
  const auto x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); i++) ASSERT_NEAR(x[i], y[i], 1e-4f * (1 + std::abs(y[i])));
}

}  // namespace

RandomModel random_model(uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomModel made;
  made.runs.resize(kRuns);
  std::vector<Known> inputs;
  for (int k = 0; k < 2; k++) {
    const size_t rank = 1 + random() % 3;
    Known input{k ? "z" : "x", {}};
    std::vector<std::string> names;
    std::vector<Dims> dims(kRuns, Dims(rank));
    for (size_t d = 0; d < rank; d++) {
      const bool known = random() % 4 == 0;
      const int64_t constant = int64_t(1 + random() % 3);
      for (Dims& of_run : dims) of_run[d] = known ? constant : int64_t(1 + random() % 4);
      names.push_back(known ? std::to_string(constant) : input.name + std::to_string(d));
    }
    for (const Dims& of_run : dims) input.dims.emplace_back(of_run);
    made.maker.input(input.name, names);
    for (size_t r = 0; r < kRuns; r++) made.runs[r].push_back(random_floats(dims[r], random));
    inputs.push_back(std::move(input));
  }
  made.maker.input("flag", {}, onnx::TensorProto::BOOL).input("rounds", {}, onnx::TensorProto::INT64);
  for (size_t r = 0; r < kRuns; r++) {
    made.runs[r].push_back(truth(r == 0));
    made.runs[r].push_back(ints({}, {int64_t(r) + 1}));
  }
  int names = 0;
  Block block(made.maker.graph, random, names, inputs, 0);
  block.add_steps(3 + int(random() % 8));
  const auto& values = block.values();
  for (size_t i = values.size() > 4 ? values.size() - 3 : 2; i < values.size(); i++) made.maker.output(values[i].name);
  return made;
}

Outcome try_random_model(uint64_t seed, bool compiled) {
  const RandomModel random = random_model(seed);
  const Model model(random.maker);
  try {
    for (const auto& inputs : random.runs) {
      const std::vector<Value> expected = model.interpreted(inputs);
      if (!compiled) continue;
      const std::vector<Value> actual = model.compiled(inputs, 1);
      for (size_t i = 0; i < expected.size(); i++) expect_close(actual[i], expected[i]);
    }
  } catch (const UserError& e) {
    // Complaints about the package would be about our own work.
    if (std::string_view(e.what()).starts_with("module:")) ADD_FAILURE() << "seed " << seed << ": " << e.what();
    std::fprintf(stderr, "seed %llu is refused: %s\n", static_cast<unsigned long long>(seed), e.what());
    return Outcome::refused;
  } catch (const std::exception& e) {
    ADD_FAILURE() << "seed " << seed << ": " << e.what();
  }
  return Outcome::agrees;
}

}  // namespace cppgen::modules
