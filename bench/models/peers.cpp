#include "bench/models/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cppgen/support/subprocess.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"

namespace cppgen::bench {
namespace {

constexpr double kFullPrecision = 1e-4;

// The values of FPMATH_MODE, and the distance of their results from full precision.
struct Mode {
  const char* value;
  double tolerance;
};
constexpr Mode kModes[] = {
    {"strict", kFullPrecision}, {"f32", kFullPrecision}, {"relaxed", kFullPrecision}, {"bf16x3", 1e-3}, {"bf16", 1e-1}};

bool accepts(Settings settings, const char* name, const char* value) {
  try {
    settings.set(name, value);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

std::string value_of(const Settings& settings, std::string_view name) {
  for (const SettingDescription& row : settings.describe())
    if (row.name == name) return row.value;
  return "";
}

Peer own(const PeerOptions& options, std::string name, const std::string& engine, double tolerance) {
  Peer peer;
  peer.name = std::move(name), peer.tolerance = tolerance;
  peer.base.engine = engine;
  peer.base.settings = {"CACHE_DIR=" + options.cache};
  peer.command = [self = options.self](const std::string& file) {
    return std::vector<std::string>{self, "--task", file};
  };
  return peer;
}

void add_cppgen(const PeerOptions& options, std::vector<Peer>& list) {
  const Settings settings = Settings::from_environment();
  list.push_back(own(options, "cppgen", "cppgen", kFullPrecision));
  list.back().quantized = true;
  for (const Mode& mode : kModes) {
    if (!accepts(settings, "FPMATH_MODE", mode.value) || value_of(settings, "FPMATH_MODE") == mode.value) continue;
    list.push_back(own(options, std::string("cppgen ") + mode.value, "cppgen", mode.tolerance));
    list.back().base.settings.push_back(std::string("FPMATH_MODE=") + mode.value);
  }
}

const std::string kFolder = CPPGEN_BENCH_MODELS_DIR;

// A peer that a program of its own runs: `program`, and for a task its file. It is not added, with the reason on
// stderr, if the program alone does not end with success.
bool add_foreign(std::vector<Peer>& list, Peer peer, const std::vector<std::string>& program,
                 const std::string& missing) {
  PosixProcessRunner runner;
  ProcessSpec check;
  check.argv = program;
  if (!runner.run(check).ok()) {
    fmt::print(stderr, "{} is left out: {}\n", peer.name, missing);
    return false;
  }
  peer.tolerance = kFullPrecision;
  peer.base.engine = peer.name;
  peer.command = [program](const std::string& file) {
    std::vector<std::string> command = program;
    command.push_back(file);
    return command;
  };
  list.push_back(std::move(peer));
  return true;
}

void add_onnxruntime(const PeerOptions& options, std::vector<Peer>& list) {
  Peer peer;
  peer.name = "onnxruntime", peer.behind_binding = peer.quantized = true;
  add_foreign(list, peer, {"/usr/bin/env", "node", kFolder + "/onnxruntime.js", options.onnxruntime},
              options.onnxruntime +
                  " has no node_modules/onnxruntime-node. To install it there: npm install --ignore-scripts "
                  "onnxruntime-node");
}

// The peers that the environment of an interpreter provides.
void add_python(const PeerOptions& options, std::vector<Peer>& list) {
  struct Library {
    const char *name, *packages;
    bool quantized;
  };
  constexpr Library kLibraries[] = {{"onnxruntime", "onnxruntime", true},
                                    {"OpenVINO", "openvino", false},
                                    {"TorchInductor", "torch onnx2torch onnxruntime", false}};
  for (const Library& library : kLibraries) {
    Peer peer;
    peer.name = library.name, peer.quantized = library.quantized;
    add_foreign(list, peer, {options.python, kFolder + "/peer.py", library.name},
                fmt::format("{} -m pip install numpy {}", options.python, library.packages));
  }
}

}  // namespace

std::vector<Peer> peers(const PeerOptions& options) {
  std::vector<Peer> list;
  add_cppgen(options, list);
  list.push_back(own(options, "oneDNN", "onednn", kFullPrecision));
  if (options.python.empty())
    add_onnxruntime(options, list);
  else
    add_python(options, list);
  std::string names;
  for (const Peer& peer : list) names += (names.empty() ? "" : ", ") + peer.name;
  const auto wanted = [&](const Peer& p) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), p.name) != options.only.end();
  };
  std::erase_if(list, [&](const Peer& peer) { return !wanted(peer); });
  if (list.empty()) user_error("no such peer; there are: {}", names);
  return list;
}

}  // namespace cppgen::bench
