#include "bench/kernels/contraction_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "bench/report/chart.h"

namespace cppgen::bench {
namespace {

const std::string kBaseline = "oneDNN";

using Json = nlohmann::ordered_json;

// Median of the baseline's time over that of `name`; nullopt where one of them is missing.
std::optional<double> ratio(const CaseResult& c, const std::string& name) {
  const ContenderResult *ours = c.find(name), *other = c.find(kBaseline);
  if (!ours || !other) return std::nullopt;
  return other->seconds.median() / ours->seconds.median();
}

// One list of cases at one number of threads.
struct Section {
  std::string list;
  int threads;
  std::vector<const CaseResult*> cases;
  std::vector<std::string> contenders;  // that ran any of them

  std::vector<double> ratios(const std::string& name) const {
    std::vector<double> all;
    for (const CaseResult* c : cases)
      if (auto r = ratio(*c, name)) all.push_back(*r);
    return all;
  }
  std::vector<double> shares(const std::string& name) const {
    std::vector<double> all;
    for (const CaseResult* c : cases)
      if (const auto* r = c->find(name)) all.push_back(c->share(*r));
    return all;
  }
};

std::vector<Section> sections_of(const ContractionReport& report) {
  std::vector<Section> sections;
  for (const CaseResult& c : report.cases) {
    auto at = std::find_if(sections.begin(), sections.end(),
                           [&](const Section& s) { return s.list == c.contraction.list && s.threads == c.threads; });
    if (at == sections.end()) at = sections.insert(at, {c.contraction.list, c.threads, {}, {}});
    at->cases.push_back(&c);
    for (const ContenderResult& r : c.contenders)
      if (std::find(at->contenders.begin(), at->contenders.end(), r.name) == at->contenders.end())
        at->contenders.push_back(r.name);
  }
  return sections;
}

const char* limit_of(const CaseResult& c) { return c.contraction.memory_bound() ? "bandwidth" : "FMA peak"; }

Json json_of(const CaseResult& c) {
  Json row = {{"list", c.contraction.list},
              {"name", c.contraction.name},
              {"threads", c.threads},
              {"gflop", c.contraction.flops() * 1e-9},
              {"fma_peak_gflops", c.flop_rate.median() * 1e-9}};
  if (!c.byte_rate.empty()) row["read_gb_per_s"] = c.byte_rate.median() * 1e-9;
  row["limit"] = limit_of(c);
  for (const ContenderResult& r : c.contenders) {
    Json entry = {{"name", r.name}, {"implementation", r.implementation}};
    entry.update(times_json(r.seconds));
    entry["gflops"] = c.contraction.flops() / r.seconds.median() * 1e-9;
    entry["share_of_limit"] = c.share(r), entry["best_share_of_limit"] = c.share(r, true);
    if (const auto against = ratio(c, r.name)) entry["ratio_to_onednn"] = *against;
    entry["relative_error"] = r.error;
    row["contenders"].push_back(std::move(entry));
  }
  return row;
}

std::vector<std::string> all_contenders(const ContractionReport& report) {
  std::vector<std::string> names;
  for (const CaseResult& c : report.cases)
    for (const ContenderResult& r : c.contenders)
      if (std::find(names.begin(), names.end(), r.name) == names.end()) names.push_back(r.name);
  return names;
}

Panel panel_of(const Section& section, const std::vector<std::string>& all) {
  const std::string limit = limit_of(*section.cases[0]);
  Panel panel{fmt::format("{}, {} thread{}", section.list, section.threads, section.threads == 1 ? "" : "s"),
              "share of " + limit,
              1,
              {},
              {},
              {}};
  for (size_t i = 0; i < all.size(); i++)
    if (std::find(section.contenders.begin(), section.contenders.end(), all[i]) != section.contenders.end())
      panel.series.push_back({all[i], i});
  for (const CaseResult* c : section.cases) {
    BarGroup group{c->contraction.name, {}};
    for (const Series& series : panel.series) {
      const std::string& name = series.name;
      const ContenderResult* r = c->find(name);
      group.bars.emplace_back();
      if (!r) continue;
      const double median = c->share(*r);
      const auto share_at = [&](double seconds) { return median * r->seconds.median() / seconds; };
      const auto against = ratio(*c, name);
      group.bars.back() = Bar{median, share_at(r->seconds.p99()), share_at(r->seconds.least()),
                              fmt::format("{:.0f}%{}", median * 100,
                                          against && name != kBaseline ? fmt::format("  {:.2f}x", *against) : "")};
    }
    panel.groups.push_back(std::move(group));
  }
  for (const std::string& name : section.contenders)
    panel.summary.push_back(fmt::format("{}: geometric mean {:.0f}% ({:.2f}x)", name,
                                        geometric_mean(section.shares(name)) * 100,
                                        geometric_mean(section.ratios(name))));
  return panel;
}

}  // namespace

const ContenderResult* CaseResult::find(const std::string& name) const {
  for (const ContenderResult& r : contenders)
    if (r.name == name) return &r;
  return nullptr;
}

double CaseResult::limit_seconds(bool best) const {
  if (contraction.memory_bound())
    return double(contraction.weight_elements()) * 4 / (best ? byte_rate.most() : byte_rate.median());
  return contraction.flops() / (best ? flop_rate.most() : flop_rate.median());
}

double CaseResult::share(const ContenderResult& r, bool best) const {
  return limit_seconds(best) / (best ? r.seconds.least() : r.seconds.median());
}

void print_heading(const CaseResult& c) {
  const std::string limit = c.contraction.memory_bound() ? "read GB/s" : "GFLOP/s";
  fmt::print("\n{:<20} {:<14} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8} {:>8}  {}\n",
             fmt::format("{}, {}T", c.contraction.list, c.threads), "", "median us", "min us", "p99 us", "share",
             "best", "oneDNN/", "error", "ran (limit: " + limit + ")");
}

void print_row(const CaseResult& c) {
  const double limit = c.contraction.memory_bound() ? c.byte_rate.median() : c.flop_rate.median();
  std::string name = c.contraction.name;
  for (const ContenderResult& r : c.contenders) {
    const auto against = ratio(c, r.name);
    fmt::print("{:<20} {:<14} {:>9.1f} {:>9.1f} {:>9.1f} {:>5.0f}% {:>5.0f}% {:>8} {:>8.0e}  {}{}\n", name, r.name,
               r.seconds.median() * 1e6, r.seconds.least() * 1e6, r.seconds.p99() * 1e6, c.share(r) * 100,
               c.share(r, true) * 100, against ? fmt::format("{:.2f}", *against) : "", r.error, r.implementation,
               name.empty() ? "" : fmt::format(" ({:.0f})", limit * 1e-9));
    name.clear();
  }
  std::fflush(stdout);
}

void print_means(const ContractionReport& report) {
  fmt::print("\ngeometric means: share of the limit, oneDNN's median over the contender's (above 1: faster)\n");
  for (const Section& section : sections_of(report))
    for (const std::string& name : section.contenders)
      fmt::print("{:<20} {:<14} {:>5.0f}% {:>6.2f}\n", fmt::format("{}, {}T", section.list, section.threads), name,
                 geometric_mean(section.shares(name)) * 100, geometric_mean(section.ratios(name)));
}

std::string json_text(const ContractionReport& report) {
  Json json = {{"isa", report.isa}, {"cases", Json::array()}, {"geometric_means", Json::array()}};
  for (const CaseResult& c : report.cases) json["cases"].push_back(json_of(c));
  for (const Section& section : sections_of(report))
    for (const std::string& name : section.contenders)
      json["geometric_means"].push_back({{"list", section.list},
                                         {"threads", section.threads},
                                         {"name", name},
                                         {"share_of_limit", geometric_mean(section.shares(name))},
                                         {"ratio_to_onednn", geometric_mean(section.ratios(name))}});
  return json.dump(2) + "\n";
}

std::string svg_text(const ContractionReport& report) {
  std::vector<std::vector<Panel>> rows;
  const std::vector<std::string> contenders = all_contenders(report);
  std::string list;
  for (const Section& section : sections_of(report)) {
    if (section.list != list) rows.emplace_back();
    list = section.list;
    rows.back().push_back(panel_of(section, contenders));
  }
  return svg_of("Contractions on " + report.isa + ": share of the limit (line: fastest to p99), times oneDNN's speed",
                rows);
}

}  // namespace cppgen::bench
