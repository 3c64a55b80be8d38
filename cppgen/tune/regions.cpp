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

// Names of nodes and sites must not be confused.
std::string node_key(const std::string& node) { return "node " + node; }
std::string site_key(const std::string& site) { return "site " + site; }

struct Found {
  Region region;
  std::multiset<std::string> usual_code, code;
};

void join_nodes(Partition& partition, const std::vector<std::string>& nodes) {
  for (const std::string& node : nodes) partition.join(node_key(node), node_key(nodes[0]));
}

}  // namespace

std::vector<Region> changed_regions(const TimedSites& usual, const TimedSites& candidate) {
  Partition partition;
  for (const TimedSites* it : {&usual, &candidate})
    for (const StepTime& step : it->steps) join_nodes(partition, step.nodes);
  std::map<std::string, Found> found;
  for (const TimedSites* it : {&usual, &candidate})
    for (const SiteReport& site : it->sites) {
      join_nodes(partition, site.origins);
      if (!site.origins.empty() && it == &usual) partition.join(node_key(site.origins[0]), site_key(site.site));
    }
  for (const SiteReport& site : usual.sites)
    if (!site.origins.empty()) found[partition.root(node_key(site.origins[0]))].region.sites.insert(site.site);
  const auto at = [&](const std::vector<std::string>& nodes) -> Found* {
    if (nodes.empty()) return nullptr;
    const auto it = found.find(partition.root(node_key(nodes[0])));
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
