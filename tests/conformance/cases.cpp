#include "tests/conformance/cases.h"

#include <algorithm>
#include <filesystem>

#include "cppgen/import/summary.h"
#include "runtime/base/errors.h"

namespace cppgen::conformance {
namespace {

namespace fs = std::filesystem;

constexpr char kSeparator = '\x1f';  // in no message

std::vector<std::string> operators_of(const std::string& model) {
  std::vector<std::string> operators;
  for (const auto& [name, count] : summarize_onnx(model).operators) operators.push_back(name);
  return operators;
}

std::vector<fs::path> folders_of(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error)) folders.push_back(it->path());
  return folders;
}

}  // namespace

std::vector<Case> find_cases(const std::string& data, const std::string& filter) {
  std::vector<Case> cases;
  for (const fs::path& group : folders_of(data)) {
    for (const fs::path& folder : folders_of(group)) {
      const std::string name = group.filename().string() + "/" + folder.filename().string();
      const std::string model = folder.string() + "/model.onnx";
      if (name.find(filter) == std::string::npos || !fs::exists(model)) continue;
      cases.push_back({name, folder.string(), model, operators_of(model)});
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
