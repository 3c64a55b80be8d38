#include "tests/conformance/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"

namespace cppgen::conformance {
namespace {

constexpr const char* kStatusNames[] = {"passed", "failed", "unsupported"};

// A message without what differs from model to model: paths, quoted names, numbers.
std::string cause_of(const Outcome& o) {
  std::string text;
  for (size_t i = 0; i < o.reason.size(); i++) {
    const char c = o.reason[i];
    const size_t end = c == '\'' ? o.reason.find('\'', i + 1) : std::string::npos;
    if (end != std::string::npos)
      text += "'..'", i = end;
    else if (std::isdigit(static_cast<unsigned char>(c)))
      text += text.ends_with('#') ? "" : "#";
    else
      text += c == '\n' ? ' ' : c;
  }
  if (const size_t path = text.find("model.onnx: "); path != std::string::npos) text = text.substr(path + 12);
  return o.stage + ": " + (o.stage == "compare" ? "wrong values, types or shapes" : text.substr(0, 150));
}

std::string operator_rows(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes) {
  std::map<std::string, Counts> rows;
  for (size_t i = 0; i < cases.size(); i++)
    for (const auto& op : cases[i].operators) rows[op].add(outcomes[i].status);
  std::string text = fmt::format("{:<32} {:>7} {:>7} {:>12}\n", "operator", "passed", "failed", "unsupported");
  for (const auto& [op, n] : rows)
    text += fmt::format("{:<32} {:>7} {:>7} {:>12}\n", op, n.passed, n.failed, n.unsupported);
  return text;
}

std::string cause_rows(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes) {
  std::map<std::string, std::vector<std::string>> causes;
  for (size_t i = 0; i < cases.size(); i++)
    if (outcomes[i].status != Status::passed)
      causes[std::string(kStatusNames[int(outcomes[i].status)]) + ", " + cause_of(outcomes[i])].push_back(
          cases[i].name);
  std::vector<std::pair<std::string, std::vector<std::string>>> sorted(causes.begin(), causes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text = "\ncauses\n";
  for (const auto& [cause, names] : sorted) {
    text += fmt::format("{:>5}  {}\n", names.size(), cause);
    for (size_t i = 0; i < std::min<size_t>(names.size(), 3); i++) text += fmt::format("         {}\n", names[i]);
  }
  return text;
}

std::string failure_rows(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes) {
  std::string text = "\nfailed\n";
  for (size_t i = 0; i < cases.size(); i++)
    if (outcomes[i].status == Status::failed)
      text += fmt::format("  {} ({}): {}\n", cases[i].name, outcomes[i].stage, outcomes[i].reason.substr(0, 400));
  return text;
}

}  // namespace

void Counts::add(Status s) {
  int* counts[] = {&passed, &failed, &unsupported};
  ++*counts[int(s)];
}

Counts count(const std::vector<Outcome>& outcomes) {
  Counts n;
  for (const Outcome& o : outcomes) n.add(o.status);
  return n;
}

std::string table(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes) {
  const Counts n = count(outcomes);
  return operator_rows(cases, outcomes) + cause_rows(cases, outcomes) + failure_rows(cases, outcomes) +
         fmt::format("\n{} tests: {} passed, {} failed, {} unsupported\n", n.total(), n.passed, n.failed,
                     n.unsupported);
}

std::string json(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes) {
  const Counts n = count(outcomes);
  Json out;
  out["passed"] = n.passed;
  out["failed"] = n.failed;
  out["unsupported"] = n.unsupported;
  out["tests"] = Json::array();
  for (size_t i = 0; i < cases.size(); i++) {
    Json item;
    item["name"] = cases[i].name;
    item["status"] = kStatusNames[int(outcomes[i].status)];
    item["stage"] = outcomes[i].stage;
    item["reason"] = outcomes[i].reason;
    item["operators"] = cases[i].operators;
    out["tests"].push_back(std::move(item));
  }
  return json_text(out, 2) + "\n";
}

}  // namespace cppgen::conformance
