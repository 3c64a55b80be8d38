#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/models/peers.h"
#include "bench/report/samples.h"
#include "cppgen/flow/compile/compiler.h"

namespace cppgen::bench {

struct PeerResult {
  std::string name, implementation;
  Samples seconds, copies;
  double load_s = 0;
  double error = 0;     // max |difference| over max |expected|, the worst output
  double quanta = 0;    // of a quantized model that is cut (cut.h): the largest difference of a byte
  bool agrees = true;   // with the first peer
  std::string failure;  // why it has no times
};

struct ModelResult {
  std::string model;
  int threads = 1;
  std::vector<PeerResult> peers;

  const PeerResult* find(const std::string& name) const;
};

struct MeasureOptions {
  int alternations = 5;
  double seconds = 0.5;    // of runs in each turn
  int runs = 0;            // in each turn; 0: as many as fit the seconds
  std::string folder;      // for inputs and outputs
  bool quantized = false;  // compares cut models, too, which quantized ones need
};

// Returns how a peer's own settings, and the environment's, compile a model.
CompileRequest request_of(const std::string& path, const Peer&);

// Runs the model in processes of each peer in turns. Outputs of all are compared with the first peer's.
ModelResult measure(const std::string& path, const std::vector<Peer>&, int threads, const MeasureOptions&);

void print_heading();
void print_rows(const ModelResult&);
void print_means(const std::vector<ModelResult>&);
std::string json_text(const std::vector<ModelResult>&);
std::string svg_text(const std::vector<ModelResult>&);
// A table of medians for a document, with the factors to the first peer, and below it who failed and why.
std::string markdown_text(const std::vector<ModelResult>&);

}  // namespace cppgen::bench
