#include "runtime/session/run_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

namespace cppgen::rt {
namespace {

struct Option {
  const char* name;
  const char* form;  // of the value; empty: the option has none
  const char* doc;
  void (*take)(RunArguments&, const std::string& value);
  bool repeatable = false;
};

template <class T>
T integer(const char* option, const std::string& text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    user_error("{} {}: expected an integer from {} to {}", option, text, least, most);
  return value;
}

double number(const char* option, const std::string& text) {
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) user_error("{} {}: expected a number", option, text);
  return value;
}

constexpr int64_t kMostRuns = int64_t(1) << 40;

const Option kOptions[] = {
    {"--help", "", "Print this help (-h, too)", [](auto& it, auto&) { it.help = true; }, true},
    {"--version", "", "Print the version", [](auto& it, auto&) { it.version = true; }, true},
    {"--input", "NAME=FILE.npy", "An input, once for each of the model; without this option inputs are random",
     [](auto& it, auto& value) { it.inputs.push_back(value); }, true},
    {"--dim", "NAME=N", "Size of a symbolic dimension of random inputs; repeatable",
     [](auto& it, auto& value) { it.dims.push_back(value); }, true},
    {"--seed", "N", "Seed of random inputs",
     [](auto& it, auto& value) {
       it.seed = integer<uint64_t>("--seed", value, 0, std::numeric_limits<uint64_t>::max());
     }},
    {"--output", "DIR", "Write in_I.npy, out_I.npy and io.json there",
     [](auto& it, auto& value) { it.output = value; }},
    {"--verify", "DIR", "Run the inputs of DIR/io.json and compare the outputs with its own; not with --input",
     [](auto& it, auto& value) { it.verify = value; }},
    {"--rtol", "R", "Tolerance relative to max|expected| (default 1e-4 for float32)",
     [](auto& it, auto& value) { it.tolerance.rtol = number("--rtol", value); }},
    {"--atol", "A", "Absolute tolerance, in addition (default 0)",
     [](auto& it, auto& value) { it.tolerance.atol = number("--atol", value); }},
    {"--runs", "N", "Timed runs, after one that is not timed (default 1; 20 for the package that contains the program)",
     [](auto& it, auto& value) { it.runs = integer<int64_t>("--runs", value, 1, kMostRuns); }},
    {"--threads", "N", "Threads of one run; short for --set THREADS=N",
     [](auto& it, auto& value) { it.threads = value; }},
    {"--set", "NAME=VALUE", "A setting, as the variable CPPGEN_NAME; repeatable",
     [](auto& it, auto& value) { it.settings.push_back(value); }, true},
    {"--json", "", "Print one JSON object", [](auto& it, auto&) { it.json = true; }, true},
};

const Option& find_option(const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : kOptions) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  const auto meant = setting_values::likely_meant(name, names);
  user_error("there is no option {}{}", name, meant ? "; did you mean " + *meant + "?" : "");
}

// Reads one argument after the other.
class Reader {
 public:
  Reader(std::span<char* const> arguments, const std::string& own_package)
      : rest_(arguments), own_package_(own_package) {}

  RunArguments read() {
    while (!rest_.empty() && !result_.help && !result_.version) {
      const std::string word = next();
      if (word == "--") {
        while (!rest_.empty()) take_package(next());
      } else if (word.size() > 1 && word[0] == '-') {
        take_option(word == "-h" ? "--help" : word);
      } else {
        take_package(word);
      }
    }
    if (result_.help || result_.version) return std::move(result_);
    if (result_.package.empty()) result_.package = own_package_;
    if (result_.package.empty()) user_error("PACKAGE is missing, the directory of the package");
    if (!result_.verify.empty() && !result_.inputs.empty()) user_error("--input excludes --verify");
    return std::move(result_);
  }

 private:
  std::string next() {
    const std::string word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

  void take_package(const std::string& word) {
    if (!result_.package.empty()) user_error("the argument '{}' was not expected", word);
    result_.package = word;
  }

  // "--name", "--name=value", or "--name" with its value in the next argument.
  void take_option(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option& option = find_option(name);
    std::optional<std::string> value;
    if (equals != word.npos) value = word.substr(equals + 1);
    if (*option.form == '\0') {
      if (value) user_error("{} takes no value", option.name);
    } else {
      if (!value && !rest_.empty() && !std::string_view(rest_.front()).starts_with("--")) value = next();
      if (!value) user_error("{} lacks its value: {} {}", option.name, option.name, option.form);
    }
    if (!option.repeatable && !seen_.insert(option.name).second) user_error("{} is given twice", option.name);
    option.take(result_, value.value_or(""));
  }

  std::span<char* const> rest_;
  const std::string& own_package_;
  RunArguments result_;
  std::set<std::string_view> seen_;
};

}  // namespace

RunArguments read_run_arguments(std::span<char* const> arguments, const std::string& own_package) {
  return Reader(arguments, own_package).read();
}

std::string run_help() {
  std::string text =
      "Runs a model that cppgen compiled into a package.\n"
      "Usage: cppgen-run [OPTIONS] PACKAGE\n\n"
      "  PACKAGE                the directory of the package; not needed for the program that a package contains, "
      "which\n"
      "                         then verifies the package's sample outputs\n\n"
      "Options:\n";
  for (const Option& option : kOptions)
    text += fmt::format("  {:<22} {}\n", fmt::format("{} {}", option.name, option.form), option.doc);
  return text +
         "\nExit status: 0 success, 1 outputs differ from the expected ones, 2 a bad package, input or option, 3 a "
         "bug.\n";
}

}  // namespace cppgen::rt
