#include <fmt/format.h>

#include <set>

#include "bench/models/models.h"
#include "cppgen/compile/peaks.h"

namespace cppgen::bench {
namespace {

// One line of text: reasons may have several.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string cell(const ModelResult& m, const PeerResult& peer) {
  if (peer.seconds.empty()) return "-";
  const double median = peer.seconds.median();
  const std::string ms = fmt::format("{:.3g}", median * 1e3);
  if (&peer == &m.peers[0] || m.peers[0].seconds.empty()) return ms;
  return fmt::format("{} ({:.2f}{})", ms, median / m.peers[0].seconds.median(), peer.agrees ? "" : ", results differ");
}

std::string row_of(const ModelResult& m) {
  std::string row = "| " + m.model + (m.threads == 1 ? ", 1 thread" : fmt::format(", {} threads", m.threads));
  for (const PeerResult& peer : m.peers) row += " | " + cell(m, peer);
  return row + " |\n";
}

// The factors of one peer over all models that it and the first peer ran.
std::string mean_cell(const std::vector<ModelResult>& results, size_t peer) {
  std::vector<double> factors;
  for (const ModelResult& m : results)
    if (peer < m.peers.size() && !m.peers[peer].seconds.empty() && !m.peers[0].seconds.empty())
      factors.push_back(m.peers[peer].seconds.median() / m.peers[0].seconds.median());
  return factors.empty() ? "-" : fmt::format("({:.2f})", geometric_mean(factors));
}

}  // namespace

std::string markdown_text(const std::vector<ModelResult>& results) {
  if (results.empty()) return "";
  std::string head = "| milliseconds (times cppgen's)", line = "|---", means = "| geometric mean", notes;
  std::set<std::string> versions;
  for (size_t i = 0; i < results[0].peers.size(); i++) {
    head += " | " + results[0].peers[i].name, line += "|---";
    means += " | " + (i == 0 ? "" : mean_cell(results, i));
  }
  std::string rows;
  for (const ModelResult& m : results) {
    rows += row_of(m);
    for (const PeerResult& peer : m.peers) {
      if (!peer.failure.empty()) notes += fmt::format("- {}, {}: {}\n", peer.name, m.model, first_line(peer.failure));
      if (&peer != &m.peers[0] && !peer.implementation.empty()) versions.insert(peer.implementation);
    }
  }
  std::string text = head + " |\n" + line + "|\n" + rows + means + " |\n\n" + cpu_model() + ".";
  for (const std::string& version : versions) text += " " + version + ".";
  return text + "\n" + (notes.empty() ? "" : "\n" + notes);
}

}  // namespace cppgen::bench
