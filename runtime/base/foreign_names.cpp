#include "runtime/base/foreign_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

struct AbsentSetting {
  std::string_view name, variables, reason;
};

constexpr AbsentSetting kAbsent[] = {
#define CPPGEN_ABSENT_SETTING(name, variables, reason) {name, variables, reason},
#include "runtime/base/absent_settings.def"
};

bool is_set(const Environment& environment, std::string_view variable) {
  const auto it = environment.find(variable);
  return it != environment.end() && !it->second.empty();
}

// "A has no effect: it is ignored" and "A, B have no effect: ...".
std::string note_about(const std::vector<std::string>& variables, std::string_view reason) {
  return fmt::format("{} {} no effect: {}", fmt::join(variables, ", "), variables.size() == 1 ? "has" : "have", reason);
}

constexpr std::string_view kSettings[] = {
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) #name,
#include "runtime/base/settings.def"
};

constexpr std::string_view kAliases[] = {
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) aliases,
#include "runtime/base/settings.def"
};

std::vector<std::string> known_variables() {
  std::vector<std::string> known;
  const auto add = [&](std::string_view list) {
    for (std::string& variable : setting_values::split(list, ' ')) known.push_back(std::move(variable));
  };
  for (const std::string_view aliases : kAliases) add(aliases);
  for (const AbsentSetting& row : kAbsent) add(row.variables);
  return known;
}

bool is_foreign(std::string_view variable) {
  return std::any_of(std::begin(kForeignPrefixes), std::end(kForeignPrefixes),
                     [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

bool is_known(const std::string& variable) {
  const std::vector<std::string> known = known_variables();
  return std::find(known.begin(), known.end(), variable) != known.end();
}

bool is_setting(std::string_view name) {
  return std::find(std::begin(kSettings), std::end(kSettings), name) != std::end(kSettings);
}

// Short differences only: these names share long beginnings.
std::string note_about_unknown(const std::string& variable) {
  constexpr size_t kFewLetters = 2;
  const std::string_view stem = stem_of(variable);
  if (is_setting(stem))
    return fmt::format("{} has no effect: the variable of this setting is CPPGEN_{}", variable, stem);
  if (const std::string_view reason = reason_of_absence(stem); !reason.empty()) return note_about({variable}, reason);
  std::string note = fmt::format("{} has no effect: cppgen does not know this variable", variable);
  for (const std::string& known : known_variables())
    if (setting_values::edit_distance(variable, known) <= kFewLetters)
      return fmt::format("{}; the nearest known name is {}", note, known);
  return note;
}

// A name without the words that say no more than that it is a switch.
std::string_view bare(std::string_view name) {
  for (const std::string_view word : {"ENABLE_", "USE_"})
    if (name.starts_with(word)) return name.substr(word.size());
  return name;
}

bool answers(const AbsentSetting& row, std::string_view name) {
  if (!row.name.empty() && bare(row.name) == bare(name)) return true;
  const std::vector<std::string> variables = setting_values::split(row.variables, ' ');
  return std::any_of(variables.begin(), variables.end(),
                     [&](const std::string& variable) { return bare(stem_of(variable)) == bare(name); });
}

}  // namespace

std::string_view stem_of(std::string_view variable) {
  for (const std::string_view prefix : kForeignPrefixes)
    if (variable.starts_with(prefix)) return variable.substr(prefix.size());
  return variable;
}

std::string_view reason_of_absence(std::string_view name) {
  const auto it = std::find_if(std::begin(kAbsent), std::end(kAbsent),
                               [&](const AbsentSetting& row) { return answers(row, name); });
  return it == std::end(kAbsent) ? std::string_view() : it->reason;
}

std::vector<std::string> foreign_name_notes(const Environment& environment) {
  std::vector<std::string> notes;
  for (const AbsentSetting& row : kAbsent) {
    std::vector<std::string> set = setting_values::split(row.variables, ' ');
    std::erase_if(set, [&](const std::string& variable) { return !is_set(environment, variable); });
    if (!set.empty()) notes.push_back(note_about(set, row.reason));
  }
  for (const auto& [variable, value] : environment)
    if (is_foreign(variable) && !value.empty() && !is_known(variable)) notes.push_back(note_about_unknown(variable));
  return notes;
}

std::string absent_settings_markdown() {
  std::string text = "| variable | variables of other programs | reason |\n|---|---|---|\n";
  for (const AbsentSetting& row : kAbsent) {
    std::vector<std::string> variables = setting_values::split(row.variables, ' ');
    for (std::string& variable : variables) variable = "`" + variable + "`";
    text += fmt::format("| {} | {} | {}. |\n", row.name.empty() ? "" : fmt::format("`CPPGEN_{}`", row.name),
                        fmt::join(variables, ", "), row.reason);
  }
  return text;
}

}  // namespace cppgen
