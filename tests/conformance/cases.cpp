#include "tests/conformance/cases.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cppgen/import/summary.h"
#include "runtime/base/errors.h"

namespace cppgen::conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroups[] = {"node", "simple", "pytorch-converted", "pytorch-operator"};
constexpr char kSeparator = '\x1f';  // in no message

std::vector<std::string> operators_of(const std::string& model) {
  std::vector<std::string> operators;
  for (const auto& [name, count] : summarize_onnx(model).operators) operators.push_back(name);
  return operators;
}

}  // namespace

std::vector<Case> find_cases(const std::string& data, const std::string& filter) {
  std::vector<Case> cases;
  for (const char* group : kGroups) {
    std::error_code error;
    for (fs::directory_iterator it(fs::path(data) / group, error), end; !error && it != end; it.increment(error)) {
      const std::string name = std::string(group) + "/" + it->path().filename().string();
      const std::string model = it->path().string() + "/model.onnx";
      if (name.find(filter) == std::string::npos || !fs::exists(model)) continue;
      cases.push_back({name, it->path().string(), model, operators_of(model)});
    }
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

std::string to_text(const Outcome& o) {
  return std::to_string(int(o.status)) + kSeparator + o.stage + kSeparator + o.reason;
}

Outcome outcome_from_text(const std::string& text) {
  const size_t first = text.find(kSeparator), second = text.find(kSeparator, first + 1);
  if (first != 1 || second == std::string::npos) internal_error("not an outcome: '{}'", text);
  return {Status(text[0] - '0'), text.substr(2, second - 2), text.substr(second + 1)};
}

}  // namespace cppgen::conformance
