#include "tests/run_time_sizes/random_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "runtime/base/errors.h"
#include "tests/modules/model_runs.h"

namespace cppgen::sizes {
namespace {

std::vector<Step> all_steps() {
  std::vector<Step> all = size_steps();
  for (const auto& more : {movement_steps(), number_steps()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Some models are mostly of a few kinds.
void bias(std::vector<Step>& steps, Maker& m) {
  for (int64_t n = m.uniform(0, 4); n > 0; n--) steps[size_t(m.uniform(0, int64_t(steps.size()) - 1))].weight *= 5;
}

// Multiples of an eighth, so that what is only moved is free of rounding.
Exact random_numbers(Maker& m, const Dims& dims) {
  return make({}, dims, [&](const Dims&) { return double(m.uniform(-16, 16)) / 8; });
}

// Sizes of a dimension that differs from run to run: the compiler would take equal ones for a requirement of the model
// that other runs break.
Dims different_sizes(Maker& m) {
  Dims sizes;
  while (sizes.size() < Maker::kRuns) {
    const int64_t size = m.chance(0.07) ? 0 : m.uniform(1, 6);
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

void add_numbers(Maker& m, const std::string& name) {
  const auto rank = size_t(m.uniform(1, 3));
  std::vector<std::string> declared;
  std::vector<Dims> dims(Maker::kRuns, Dims(rank));
  for (size_t d = 0; d < rank; d++) {
    const bool known = m.chance(0.4);
    const int64_t same = m.uniform(1, 4);
    const Dims varied = different_sizes(m);
    for (size_t run = 0; run < Maker::kRuns; run++) dims[run][d] = known ? same : varied[run];
    declared.push_back(known ? std::to_string(same) : name + std::to_string(d));
  }
  std::vector<Exact> runs;
  for (const Dims& of_run : dims) runs.push_back(random_numbers(m, of_run));
  m.input(name, Kind::number, declared, std::move(runs));
}

void add_inputs(Maker& m) {
  add_numbers(m, "x"), add_numbers(m, "y");
  for (const char* name : {"i", "j", "k"}) {
    std::vector<Exact> runs;
    for (size_t run = 0; run < Maker::kRuns; run++)
      runs.push_back({Kind::integer, {1}, {double(m.uniform(m.chance(0.1) ? -2 : 0, 4))}, 0});
    m.input(name, Kind::integer, {"1"}, std::move(runs));
  }
  std::vector<Exact> masks;
  for (size_t run = 0; run < Maker::kRuns; run++)
    masks.push_back(
        make({Kind::truth, {}, {}, 0}, {m.uniform(0, 4)}, [&](const Dims&) { return double(m.uniform(0, 1)); }));
  m.input("mask", Kind::truth, {"M"}, std::move(masks));
}

modules::Value value_of(const Exact& x) {
  if (x.kind == Kind::number) return modules::floats(x.dims, {x.values.begin(), x.values.end()});
  if (x.kind == Kind::integer) return modules::ints(x.dims, {x.values.begin(), x.values.end()});
  return modules::tensor<uint8_t>(DType::boolean, x.dims, {x.values.begin(), x.values.end()});
}

std::vector<double> numbers_in(const rt::Tensor& tensor) {
  const auto all = [&]<class T>(const T* data) { return std::vector<double>(data, data + tensor.elements()); };
  if (tensor.type() == DType::f32) return all(tensor.as<float>());
  return tensor.type() == DType::i64 ? all(tensor.as<int64_t>()) : all(tensor.as<uint8_t>());
}

// "" or what is wrong.
std::string difference(const Exact& expected, const modules::Value& value) {
  constexpr double kSafety = 4, kLeast = 1e-6;
  const rt::Tensor* actual = value.tensor();
  if (!actual) return "it is no tensor";
  if (actual->dims() != expected.dims)
    return fmt::format("the shape is {}, not {}", rt::shape_text(actual->dims()), rt::shape_text(expected.dims));
  const std::vector<double> numbers = numbers_in(*actual);
  const double allowed = expected.error > 0 ? kSafety * expected.error + kLeast : 0;
  for (size_t i = 0; i < numbers.size(); i++)
    if (!(std::abs(numbers[i] - expected.values[i]) <= allowed))
      return fmt::format("element {} of {} is {}, not {} (+- {})", i, rt::shape_text(expected.dims), numbers[i],
                         expected.values[i], allowed);
  return "";
}

struct Way {
  const char* name;
  std::vector<modules::Value> (*run)(const modules::Model&, const std::vector<modules::Value>&);
};
const Way kInterpreted{"interpreted", [](const modules::Model& model, const std::vector<modules::Value>& inputs) {
                         return model.interpreted(inputs);
                       }};
const Way kCompiled{"compiled", [](const modules::Model& model, const std::vector<modules::Value>& inputs) {
                      return model.compiled(inputs, 2);
                    }};

Verdict try_run(const Maker& made, const modules::Model& model, size_t run, const Way& way) {
  std::vector<modules::Value> inputs;
  for (const std::string& name : made.inputs()) inputs.push_back(value_of(made.named(name).runs[run]));
  try {
    const std::vector<modules::Value> outputs = way.run(model, inputs);
    for (size_t i = 0; i < outputs.size(); i++) {
      const std::string& name = made.outputs()[i];
      if (const std::string text = difference(made.named(name).runs[run], outputs[i]); !text.empty())
        return {Verdict::failed, fmt::format("run {}, {}: {}: {}", run, way.name, name, text)};
    }
  } catch (const UserError& e) {
    const std::string text = e.what();
    // Complaints about the package would be about our own work.
    const bool own = text.starts_with("module:") || text.starts_with("plan:");
    return {own ? Verdict::failed : Verdict::refused, text};
  } catch (const std::exception& e) {
    return {Verdict::failed, fmt::format("run {}, {}: {}", run, way.name, e.what())};
  }
  return {};
}

}  // namespace

std::unique_ptr<Maker> random_model(uint64_t seed, int steps) {
  auto made = std::make_unique<Maker>(seed);
  Maker& m = *made;
  add_inputs(m);
  std::vector<Step> all = all_steps();
  bias(all, m);
  int64_t total = 0;
  for (const Step& step : all) total += step.weight;
  for (int i = 0; i < steps; i++) {
    int64_t at = m.uniform(0, total - 1);
    size_t chosen = 0;
    while (at >= all[chosen].weight) at -= all[chosen++].weight;
    all[chosen].append(m);
  }
  m.choose_outputs();
  return made;
}

Verdict try_model(const Maker& made, bool compiled) {
  const modules::Model model(made.model(), "COMPILER_OPT", "-O1");  // for speed
  Verdict refused;
  for (size_t run = 0; run < Maker::kRuns; run++) {
    const Verdict first = try_run(made, model, run, kInterpreted);
    const Verdict second = compiled ? try_run(made, model, run, kCompiled) : first;
    for (const Verdict& verdict : {first, second})
      if (verdict.what == Verdict::failed) return verdict;
    if (first.what != second.what)
      return {Verdict::failed, fmt::format("run {}: only one way refuses it: {}{}", run, first.text, second.text)};
    if (first.what == Verdict::refused) refused = first;
  }
  return refused;
}

std::string report(uint64_t seed, int steps, bool compiled, const std::string& file) {
  int least = 1;
  while (least < steps && try_model(*random_model(seed, least), compiled).what != Verdict::failed) least++;
  const std::unique_ptr<Maker> model = random_model(seed, least);
  const Maker& made = *model;
  if (!file.empty()) std::ofstream(file, std::ios::binary) << made.model().bytes();
  std::string text = fmt::format("seed {} with {} steps: {}\n", seed, least, try_model(made, compiled).text);
  for (const auto& node : made.model().graph.node()) {
    text += "  " + node.output(0) + " = " + node.op_type() + "(";
    for (const std::string& in : node.input()) text += in + " ";
    text += ")";
    for (const Exact& run : made.named(node.output(0)).runs) text += " " + rt::shape_text(run.dims);
    text += "\n";
  }
  return text;
}

}  // namespace cppgen::sizes
