#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bench/models/task.h"

namespace cppgen::bench {

// One runtime, or one way to run ours, in processes of its own.
struct Peer {
  std::string name;
  Task base;  // engine and settings
  // The command for a task in `file`.
  std::function<std::vector<std::string>(const std::string& file)> command;
  double tolerance = 0;  // of max |expected|: 0 for the first one, which the others are compared with
  bool behind_binding = false;
  bool quantized = false;  // runs quantized models, too
};

struct PeerOptions {
  std::string self;         // this program
  std::string cache;        // CACHE_DIR of ours
  std::string onnxruntime;  // folder that has node_modules/onnxruntime-node
  std::string python;       // interpreter of an environment with other libraries, or empty
  std::vector<std::string> only;
};

// cppgen first, in its default mode, then in every other FPMATH_MODE that it has; then the others that are installed.
// Says on stderr who is not, and how to install it.
std::vector<Peer> peers(const PeerOptions&);

}  // namespace cppgen::bench
