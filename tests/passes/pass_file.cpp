#include "tests/passes/pass_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cppgen/schedule_text/target_text.h"
#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

constexpr std::string_view kTitle = "## ", kRun = "RUN: ", kResult = "----";

PassFile read_pass_file(const std::filesystem::path& path) {
  PassFile file{path.string(), path.stem().string(), "", {}};
  std::ifstream stream(path);
  bool in_result = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(kTitle)) {
      file.cases.push_back({line.substr(kTitle.size()), "", "", ""});
      in_result = false;
    } else if (file.cases.empty()) {
      file.head += line + "\n";
    } else if (line.starts_with(kRun)) {
      file.cases.back().run = line.substr(kRun.size());
    } else if (line == kResult) {
      in_result = true;
    } else {
      (in_result ? file.cases.back().expected : file.cases.back().input) += line + "\n";
    }
  }
  for (PassCase& it : file.cases)  // an empty line separates cases
    if (it.expected.ends_with("\n\n")) it.expected.pop_back();
  return file;
}

}  // namespace

std::vector<PassFile> read_pass_files(const std::string& folder) {
  std::vector<PassFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(read_pass_file(entry.path()));
  std::sort(files.begin(), files.end(), [](const PassFile& a, const PassFile& b) { return a.path < b.path; });
  return files;
}

void write_pass_file(const PassFile& file) {
  std::ofstream stream(file.path);
  stream << file.head;
  for (size_t i = 0; i < file.cases.size(); i++) {
    const PassCase& it = file.cases[i];
    stream << (i ? "\n" : "") << kTitle << it.title << "\n" << kRun << it.run << "\n" << it.input << kResult << "\n";
    stream << it.expected;
  }
}

PassCommand command_of(const PassCase& it) {
  PassCommand command;
  std::istringstream words(it.run);
  std::string option, value;
  while (words >> option) {
    if (option == "--verify" || option == "--plans") {
      (option == "--verify" ? command.runs.verify : command.runs.plans) = true;
      continue;
    }
    words >> value;
    const size_t equals = value.find('=');
    if (option == "--pass")
      command.runs.passes = setting_values::split(value, ',');
    else if (option == "--until")
      command.runs.until = value;
    else if (option == "--set" && equals != value.npos)
      command.settings.set(value.substr(0, equals), value.substr(equals + 1));
    else
      internal_error("{}: {} is no option", it.title, option);
  }
  const std::string isa = command.settings.isa[0];
  command.runs.target = schedule_text::usual_target(isa == "auto" ? "scalar" : isa);
  return command;
}

std::string printed(const PassCase& it, const PassCommand& command) {
  try {
    TextContent content = read_text(it.input, "input");
    run_chosen_passes(content, command.runs, command.settings);
    return complete_text(content);
  } catch (const UserError& e) {
    return std::string("error: ") + e.what() + "\n";
  }
}

}  // namespace cppgen
