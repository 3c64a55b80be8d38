#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "bench/models/models.h"
#include "bench/report/chart.h"

namespace cppgen::bench {
namespace {

using Json = nlohmann::ordered_json;

// The peer's median over that of the first one, who is ours: above 1 we are faster.
std::optional<double> ratio(const ModelResult& m, const PeerResult& peer) {
  if (peer.seconds.empty() || m.peers[0].seconds.empty()) return std::nullopt;
  return peer.seconds.median() / m.peers[0].seconds.median();
}

// The ratio of the fastest runs, for machines with other load.
double best_ratio(const ModelResult& m, const PeerResult& peer) {
  return peer.seconds.least() / m.peers[0].seconds.least();
}

struct Mean {
  int threads;
  std::string peer;
  std::vector<double> ratios, best;
};

// Each mean is over the models that the peer ran; over those that all peers ran, it would hide one that fails
// everywhere.
std::vector<Mean> means_of(const std::vector<ModelResult>& results) {
  std::vector<Mean> means;
  for (const ModelResult& m : results)
    for (const PeerResult& peer : m.peers) {
      const auto value = ratio(m, peer);
      if (!value) continue;
      auto at = std::find_if(means.begin(), means.end(),
                             [&](const Mean& it) { return it.threads == m.threads && it.peer == peer.name; });
      if (at == means.end()) at = means.insert(at, {m.threads, peer.name, {}, {}});
      at->ratios.push_back(*value);
      at->best.push_back(best_ratio(m, peer));
    }
  return means;
}

Json json_of(const ModelResult& m, const PeerResult& peer) {
  Json json = {{"name", peer.name}};
  if (!peer.failure.empty()) json["failure"] = peer.failure;
  if (peer.seconds.empty()) return json;
  json["implementation"] = peer.implementation;
  json.update(times_json(peer.seconds));
  if (const auto value = ratio(m, peer)) json["ratio"] = *value, json["best_ratio"] = best_ratio(m, peer);
  if (!peer.copies.empty()) json["copies"] = times_json(peer.copies);
  json["load_s"] = peer.load_s;
  json["relative_error"] = peer.error, json["quanta"] = peer.quanta, json["agrees"] = peer.agrees;
  return json;
}

std::vector<std::string> names_of(const std::vector<ModelResult>& results) {
  std::vector<std::string> names;
  for (const ModelResult& m : results)
    for (const PeerResult& p : m.peers)
      if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
  return names;
}

BarGroup group_of(const ModelResult& m, const std::vector<std::string>& names) {
  BarGroup group{m.model, {}};
  for (const std::string& name : names) {
    group.bars.emplace_back();
    const PeerResult* peer = m.find(name);
    const auto value = peer ? ratio(m, *peer) : std::nullopt;
    if (!value) continue;
    const double unit = m.peers[0].seconds.median();
    group.bars.back() = Bar{*value, peer->seconds.least() / unit, peer->seconds.p99() / unit,
                            fmt::format("{:.2f}  {:.3g} ms", *value, peer->seconds.median() * 1e3)};
  }
  return group;
}

}  // namespace

const PeerResult* ModelResult::find(const std::string& name) const {
  for (const PeerResult& peer : peers)
    if (peer.name == name) return &peer;
  return nullptr;
}

void print_heading() {
  fmt::print("{:<20} {:>2} {:<14} {:>9} {:>9} {:>9} {:>7} {:>6} {:>8} {:>8} {:>7}  {}\n", "model", "T", "", "median ms",
             "min ms", "p99 ms", "/cppgen", "best", "copies", "error", "load s", "ran");
}

void print_rows(const ModelResult& m) {
  for (const PeerResult& p : m.peers) {
    fmt::print("{:<20} {:>2} {:<14} ", m.model, m.threads, p.name);
    if (p.seconds.empty()) {
      fmt::print("failed: {}\n", p.failure);
      continue;
    }
    const auto value = ratio(m, p);
    fmt::print("{:>9.3f} {:>9.3f} {:>9.3f} {:>7} {:>6} {:>8} {:>8.0e} {:>7.2f}  {}{}\n", p.seconds.median() * 1e3,
               p.seconds.least() * 1e3, p.seconds.p99() * 1e3, value ? fmt::format("{:.2f}", *value) : "",
               value ? fmt::format("{:.2f}", best_ratio(m, p)) : "",
               p.copies.empty() ? "" : fmt::format("{:.3f}", p.copies.median() * 1e3), p.error, p.load_s,
               p.implementation, p.agrees ? "" : "  RESULTS DIFFER");
  }
  std::fflush(stdout);
}

void print_means(const std::vector<ModelResult>& results) {
  fmt::print("\ngeometric means of the time over cppgen's (above 1: cppgen is faster)\n");
  for (const Mean& mean : means_of(results))
    fmt::print("{:>2} threads  {:<14} {:>6.2f}  best {:.2f}  ({} models)\n", mean.threads, mean.peer,
               geometric_mean(mean.ratios), geometric_mean(mean.best), mean.ratios.size());
}

std::string json_text(const std::vector<ModelResult>& results) {
  Json json = {{"models", Json::array()}, {"geometric_means", Json::array()}};
  for (const ModelResult& m : results) {
    Json row = {{"model", m.model}, {"threads", m.threads}, {"peers", Json::array()}};
    for (const PeerResult& peer : m.peers) row["peers"].push_back(json_of(m, peer));
    json["models"].push_back(std::move(row));
  }
  for (const Mean& mean : means_of(results))
    json["geometric_means"].push_back({{"threads", mean.threads},
                                       {"name", mean.peer},
                                       {"models", mean.ratios.size()},
                                       {"ratio", geometric_mean(mean.ratios)},
                                       {"best_ratio", geometric_mean(mean.best)}});
  return json.dump(2) + "\n";
}

std::string svg_text(const std::vector<ModelResult>& results) {
  const std::vector<std::string> names = names_of(results);
  std::map<int, Panel> panels;
  for (const ModelResult& m : results) {
    Panel& panel = panels[m.threads];
    panel.title = fmt::format("{} thread{}", m.threads, m.threads == 1 ? "" : "s");
    panel.unit = "times cppgen's median", panel.reference = 1;
    panel.groups.push_back(group_of(m, names));
  }
  for (const Mean& mean : means_of(results))
    panels[mean.threads].summary.push_back(fmt::format("{}: geometric mean {:.2f} over {} models", mean.peer,
                                                       geometric_mean(mean.ratios), mean.ratios.size()));
  std::vector<Panel> row;
  for (auto& [threads, panel] : panels) {
    for (size_t i = 0; i < names.size(); i++) panel.series.push_back({names[i], i});
    row.push_back(std::move(panel));
  }
  return svg_of("Networks: time of a run relative to cppgen (line: fastest to p99; shorter is faster)", {row});
}

}  // namespace cppgen::bench
