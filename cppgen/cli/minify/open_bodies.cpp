// Shrinking continues inside of a node with bodies: the nodes of a body take its place if they show the fault, too.
#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "cppgen/cli/minify/minifier.h"
#include "cppgen/import/opened_bodies.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {

// Values for these inputs of the smallest model, as options; nullopt if some are no tensors.
std::optional<Trials::Inputs> Minifier::files_for(const std::vector<std::string>& names) const {
  Trials::Inputs inputs;
  for (const std::string& name : names) {
    const std::string file = values_->file_of(name);
    if (file.empty()) return std::nullopt;
    inputs.files.push_back(name + "=" + values_->folder() + "/" + file);
  }
  return inputs;
}

// nullopt if the body cannot stand alone.
std::optional<Minifier::Opened> Minifier::opened(const std::string& model) {
  const std::string path = folder_.path() + "/opened.onnx", all = folder_.path() + "/values.onnx",
                    folder = fmt::format("{}/opened-{}", folder_.path(), opened_++);
  try {
    if (write_file(path, model) != 0) return std::nullopt;
    ModelCutter cutter(path);
    std::vector<size_t> nodes(cutter.node_count());
    std::iota(nodes.begin(), nodes.end(), size_t{0});
    const CutModel whole = cutter.cut(nodes, {}, {true, true, {}});
    const auto inputs = files_for(whole.inputs);
    if (!inputs || write_file(all, whole.bytes) != 0) return std::nullopt;
    if (!trials_.write_values(all, folder, *inputs, common_, !has_results(), limit()).empty()) return std::nullopt;
    return Opened{std::move(cutter), ModelValues(folder), {false, cut_options_.all_outputs, {}}};
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void Minifier::exchange(Opened& other) {
  std::swap(cutter_, other.cutter);
  std::swap(*values_, other.values);
  std::swap(cut_options_, other.options);
  tried_.clear();
}

bool Minifier::open_one() {
  const std::string model = best_.bytes;
  for (const import::BodyPlace& place : import::bodies_in(model)) {
    if (!in_time()) return false;
    std::optional<Opened> other = opened(import::with_opened_body(model, place));
    if (!other) continue;
    exchange(*other);
    if (shows(all_nodes(), cut_options_)) {
      outer_.push_back(std::move(*other));
      return true;
    }
    exchange(*other);
  }
  return false;
}

void Minifier::open_bodies() {
  while (open_one()) {
    shrink_nodes();
    shrink_outputs();
  }
}

}  // namespace cppgen
