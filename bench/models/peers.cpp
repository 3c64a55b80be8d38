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

// What FPMATH_MODE may allow, and how far results may then be from full precision.
struct Mode {
  const char* value;
  double tolerance;
};
constexpr Mode kModes[] = {{"strict", kFullPrecision}, {"f32", kFullPrecision}, {"bf16x3", 1e-3}, {"bf16", 1e-1}};

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

const std::string kScript = std::string(CPPGEN_BENCH_MODELS_DIR) + "/onnxruntime.js";

void add_onnxruntime(const PeerOptions& options, std::vector<Peer>& list) {
  PosixProcessRunner runner;
  ProcessSpec check;
  check.argv = {"/usr/bin/env", "node", kScript, options.onnxruntime};
  if (!runner.run(check).ok()) {
    fmt::print(stderr,
               "ONNX Runtime is left out: {} has no node_modules/onnxruntime-node. To install it there: npm install "
               "--ignore-scripts onnxruntime-node\n",
               options.onnxruntime);
    return;
  }
  Peer peer;
  peer.name = "onnxruntime", peer.tolerance = kFullPrecision, peer.behind_binding = peer.quantized = true;
  peer.base.engine = "onnxruntime";
  peer.command = [folder = options.onnxruntime](const std::string& file) {
    return std::vector<std::string>{"/usr/bin/env", "node", kScript, folder, file};
  };
  list.push_back(std::move(peer));
}

}  // namespace

std::vector<Peer> peers(const PeerOptions& options) {
  std::vector<Peer> list;
  add_cppgen(options, list);
  list.push_back(own(options, "oneDNN", "onednn", kFullPrecision));
  add_onnxruntime(options, list);
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
