// Looks for cliffs: compiles models at every point of the grids, and prints those that take much longer for their work
// than their neighbours, which differ from them by one step along one axis.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "bench/kernels/limits.h"
#include "bench/kernels/sweep_grids.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"

namespace cppgen::bench {
namespace {

struct Options {
  std::string filter;
  int threads = 1, worst = 20;
  double seconds = 0.02;
};

struct Point {
  Values values;
  double work = 0, seconds = 0;
  double per_work() const { return seconds / work; }
};
using Points = std::map<std::vector<size_t>, Point>;  // by position along each axis

// Multiply-adds, where reading or writing an element counts as much as so many: the ratio of machines with vectors.
double weighed(const Grid::Work& w) {
  constexpr double kPerElement = 16;
  return w.multiply_adds + kPerElement * w.elements;
}

void visit(const Grid& grid, std::vector<size_t>& at, const std::function<void()>& each) {
  if (at.size() == grid.axes.size()) return each();
  for (size_t i = 0; i < grid.axes[at.size()].values.size(); i++) {
    at.push_back(i);
    visit(grid, at, each);
    at.pop_back();
  }
}

// The fastest run: whatever else the machine does only adds to it.
double fastest_run(const Grid& grid, const Values& values, const std::string& folder, const Options& options) {
  ModelBuilder model(grid.name);
  grid.build(model, values);
  CompileRequest request;
  request.model = folder + "/model.onnx";
  request.settings = Settings::from_environment();
  request.settings.set("CACHE_DIR", folder + "/cache");
  model.write(request.model);
  const CompiledModel compiled = compile_model(request);
  rt::SessionOptions session_options = rt::SessionOptions::from(request.settings);
  session_options.threads = options.threads;
  rt::Session session(rt::Executable::load(compiled.package, {compiled.trusted}), session_options);
  const std::vector<rt::Tensor> inputs = rt::random_inputs(session.plan(), {}, 1);
  const std::vector<rt::TensorView> views{inputs.at(0).view()};
  std::vector<rt::Tensor> outputs = session.run(views);
  const std::vector<rt::OutputView> results{outputs.at(0).output()};
  double best = INFINITY;
  constexpr int kLeastRuns = 5;
  const double end = now() + options.seconds;
  for (int i = 0; i < kLeastRuns || now() < end; i++) {
    const double start = now();
    session.run(views, results);
    best = std::min(best, now() - start);
  }
  return best;
}

Points measure(const Grid& grid, const std::string& folder, const Options& options) {
  Points points;
  std::vector<size_t> at;
  visit(grid, at, [&] {
    Values values;
    for (size_t i = 0; i < at.size(); i++) values.push_back(grid.axes[i].values[at[i]]);
    const Grid::Work work = grid.work(values);
    if (work.multiply_adds == 0) return;
    points[at] = {values, weighed(work), fastest_run(grid, values, folder, options)};
    std::cerr << fmt::format("\r{}: {} points", grid.name, points.size()) << std::flush;
  });
  std::cerr << "\n";
  return points;
}

// The median over the points that differ by one step along one axis, or nothing if there are none.
double around(const Points& points, const std::vector<size_t>& at) {
  std::vector<double> neighbours;
  for (size_t axis = 0; axis < at.size(); axis++)
    for (const int step : {-1, 1}) {
      std::vector<size_t> neighbour = at;
      neighbour[axis] += size_t(step);
      if (const auto it = points.find(neighbour); it != points.end()) neighbours.push_back(it->second.per_work());
    }
  return neighbours.empty() ? NAN : median(neighbours);
}

struct Row {
  double ratio;
  std::string text;
};

std::vector<Row> rows_of(const Grid& grid, const Points& points) {
  std::vector<Row> rows;
  for (const auto& [at, point] : points) {
    const double ratio = point.per_work() / around(points, at);
    if (!std::isfinite(ratio)) continue;
    std::string text =
        fmt::format("{:6.2f} {:9.4f} {:10.1f}  {}", ratio, point.per_work() * 1e9, point.seconds * 1e6, grid.name);
    for (size_t i = 0; i < at.size(); i++) text += fmt::format(", {} {}", grid.axes[i].name, point.values[i]);
    rows.push_back({ratio, text});
  }
  return rows;
}

int run(const Options& options) {
  TempDirectory folder(system_temp_directory(), "cppgen_sweep");
  std::vector<Row> rows;
  for (const Grid& grid : sweep_grids()) {
    if (grid.name.find(options.filter) == std::string::npos) continue;
    const auto more = rows_of(grid, measure(grid, folder.path(), options));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  if (rows.empty()) {
    std::cerr << "no grid has '" << options.filter << "' in its name\n";
    return 2;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.ratio > b.ratio; });
  std::cout << " ratio   ns/work         us\n";
  for (size_t i = 0; i < std::min(rows.size(), size_t(options.worst)); i++) std::cout << rows[i].text << "\n";
  return 0;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) {
  cppgen::bench::Options options;
  CLI::App app("Prints the shapes that take much longer for their work than their neighbours.");
  app.add_option("--filter", options.filter, "only grids whose name contains this");
  app.add_option("--threads", options.threads, "threads of a run (1)")->check(CLI::Range(1, 1024));
  app.add_option("--worst", options.worst, "how many rows to print (20)");
  app.add_option("--seconds", options.seconds, "time for each point (0.02)");
  CLI11_PARSE(app, argc, argv);
  try {
    return cppgen::bench::run(options);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
