#include "cppgen/tune/regions.h"

#include <map>
#include <set>

namespace cppgen::tune {
namespace {

// Disjoint sets of names.
class Partition {
 public:
  const std::string& root(const std::string& name) {
    std::string& parent = parents_.emplace(name, name).first->second;
    if (parent == name) return parent;
    const std::string top = root(parent);
    return parents_[name] = top;
  }
  void join(const std::string& a, const std::string& b) {
    const std::string top = root(a), other = root(b);
    parents_[top] = other;
  }

 private:
  std::map<std::string, std::string> parents_;
};

// Names of nodes, steps and sites must not be confused.
std::string node_key(const std::string& node) { return "node " + node; }
std::string site_key(const std::string& site) { return "site " + site; }

using Nodes = std::vector<std::string>;

// The unit of comparison: a step that computes the same nodes in both packages is compared by itself, even if other
// steps also compute some of them, such as the parts of a concatenation. All other steps are joined by their nodes.
class Units {
 public:
  Units(const std::vector<StepTime>& usual, const std::vector<StepTime>& candidate) {
    std::map<Nodes, int> in_usual, in_candidate;
    for (const StepTime& step : usual) in_usual[step.nodes]++;
    for (const StepTime& step : candidate) in_candidate[step.nodes]++;
    for (const auto& [nodes, count] : in_usual)
      if (const auto other = in_candidate.find(nodes); count == 1 && other != in_candidate.end() && other->second == 1)
        alike_.insert(nodes);
  }

  std::string key_of(const Nodes& nodes) const {
    if (!alike_.count(nodes)) return node_key(nodes[0]);
    std::string key = "step";
    for (const std::string& node : nodes) key += "\n" + node;
    return key;
  }

  void join_nodes(Partition& partition, const Nodes& nodes) const {
    if (alike_.count(nodes)) return;
    for (const std::string& node : nodes) partition.join(node_key(node), node_key(nodes[0]));
  }

 private:
  std::set<Nodes> alike_;
};

struct Found {
  Region region;
  std::multiset<std::string> usual_code, code;
};

}  // namespace

std::vector<Region> changed_regions(const TimedSites& usual, const TimedSites& candidate) {
  const Units units(usual.steps, candidate.steps);
  Partition partition;
  for (const TimedSites* it : {&usual, &candidate})
    for (const StepTime& step : it->steps) units.join_nodes(partition, step.nodes);
  std::map<std::string, Found> found;
  for (const TimedSites* it : {&usual, &candidate})
    for (const SiteReport& site : it->sites) {
      units.join_nodes(partition, site.origins);
      if (!site.origins.empty() && it == &usual) partition.join(units.key_of(site.origins), site_key(site.site));
    }
  for (const SiteReport& site : usual.sites)
    if (!site.origins.empty()) found[partition.root(units.key_of(site.origins))].region.sites.insert(site.site);
  const auto at = [&](const Nodes& nodes) -> Found* {
    if (nodes.empty()) return nullptr;
    const auto it = found.find(partition.root(units.key_of(nodes)));
    return it == found.end() ? nullptr : &it->second;
  };
  for (const SiteReport& site : usual.sites)
    if (Found* f = at(site.origins)) f->usual_code.insert(site.code);
  for (const SiteReport& site : candidate.sites)
    if (Found* f = at(site.origins)) f->code.insert(site.code);
  for (const StepTime& step : usual.steps)
    if (Found* f = at(step.nodes)) f->region.usual_ms += step.ms;
  for (const StepTime& step : candidate.steps)
    if (Found* f = at(step.nodes)) f->region.ms += step.ms;
  std::vector<Region> changed;
  for (auto& [root, f] : found)
    if (f.code != f.usual_code) changed.push_back(std::move(f.region));
  return changed;
}

}  // namespace cppgen::tune
