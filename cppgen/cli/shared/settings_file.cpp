#include "cppgen/cli/shared/settings_file.h"

#include <fmt/format.h>

#include <set>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/version.h"

namespace cppgen {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace

std::vector<SettingDescription> changed_settings(const Settings& settings) {
  const std::vector<SettingDescription> values = settings.describe(), defaults = Settings().describe();
  std::vector<SettingDescription> changed;
  for (size_t row = 0; row < values.size(); row++) {
    const bool given = values[row].source != "default" && values[row].source != "AUTO";  // by the user
    if (given && values[row].value != defaults[row].value) changed.push_back(values[row]);
  }
  return changed;
}

SettingDescription setting_with(const std::string& name, const std::string& value) {
  Settings probe;
  probe.set(name, value);
  for (SettingDescription& row : probe.describe())
    if (row.source == "option") return row;
  internal_error("a setting that was set is not found");
}

std::string settings_file_text(const std::vector<SettingDescription>& settings) {
  std::string text =
      fmt::format("# Settings of cppgen {} that differ from their defaults; --load reads them.\n", rt::kVersion);
  for (const SettingDescription& setting : settings) {
    if (trimmed(setting.value) != setting.value || setting.value.find('\n') != setting.value.npos)
      user_error(
          "{}: the value \"{}\" cannot be written to a file of settings, whose values are single lines without "
          "spaces around them",
          setting.name, setting.value);
    text += fmt::format("{}={}\n", setting.name, setting.value);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> read_settings_file(const std::string& path) {
  constexpr int64_t kMostBytes = int64_t{1} << 20;
  const std::string text = read_file(path, kMostBytes);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::vector<std::pair<std::string, std::string>> pairs;
  std::set<std::string, std::less<>> names;
  int number = 0;
  for (size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    number++;
    if (line.empty() || line.starts_with('#')) continue;
    const size_t equals = line.find('=');
    if (equals == line.npos || equals == 0) user_error("{}:{}: expected NAME=VALUE, as in THREADS=2", path, number);
    const std::string name(trimmed(line.substr(0, equals))), value(trimmed(line.substr(equals + 1)));
    try {
      if (!names.insert(std::string(setting_with(name, value).name)).second) user_error("{} is given twice", name);
    } catch (const UserError& error) {
      user_error("{}:{}: {}", path, number, error.what());
    }
    pairs.emplace_back(name, value);
  }
  return pairs;
}

}  // namespace cppgen
