#include "runtime/base/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/base/debug_level.h"
#include "runtime/base/errors.h"
#include "runtime/base/foreign_names.h"
#include "runtime/base/setting_values.h"
#include "runtime/base/usable_cpus.h"
#include "runtime/base/usable_memory.h"

extern char** environ;

namespace cppgen {
namespace {

using namespace setting_values;

// The column of settings.def.
enum Use { key, no_key, running, key_running };
constexpr bool changes_kernels(Use use) { return use == key || use == key_running; }
constexpr bool is_for_runs(Use use) { return use == running || use == key_running; }

constexpr std::string_view kIsaChoices = "auto"
#define CPPGEN_ISA(isa, ...) "|" #isa
#define CPPGEN_ISA_TILES(isa, ...) "|" #isa
#include "runtime/base/isas.def"
    ;
constexpr std::string_view kIsaWidths = "0"
#define CPPGEN_ISA(isa, base, bits, ...) "|" #bits
#include "runtime/base/isas.def"
    ;

struct Row {
  SettingKind kind;
  std::string_view name, fallback, allowed, aliases;
  Use use;
};

constexpr Row kRows[] = {
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) \
  {SettingKind::kind, #name, fallback, allowed, aliases, in_key},
#include "runtime/base/settings.def"
};

// The documentation of each row.
struct Text {
  std::string_view name, doc;
};
constexpr Text kTexts[] = {
#define CPPGEN_SETTING_TEXT(name, doc) {#name, doc},
#include "runtime/base/setting_texts.def"
};

constexpr bool rows_have_texts() {
  if (std::size(kRows) != std::size(kTexts)) return false;
  for (size_t row = 0; row < std::size(kRows); row++)
    if (kRows[row].name != kTexts[row].name) return false;
  return true;
}
static_assert(rows_have_texts(), "each row of settings.def has its text in setting_texts.def, in the same order");

// The lines of the table: the title of a group, or nothing for a row.
constexpr std::string_view kGroupLines[] = {
#define CPPGEN_SETTING_GROUP(title) title,
#define CPPGEN_SETTING(...) "",
#include "runtime/base/settings.def"
};

std::string_view group_of(size_t row) {
  std::string_view group;
  for (const std::string_view line : kGroupLines) {
    if (!line.empty())
      group = line;
    else if (row-- == 0)
      break;
  }
  return group;
}

constexpr std::string_view kPrefix = "CPPGEN_";

// Calls visit(kind constant, field) for the field of `row`.
template <class S, class Visit>
void visit_field(S& settings, size_t row, Visit visit) {
  size_t index = 0;
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) \
  if (row == index++) return visit(std::integral_constant<SettingKind, SettingKind::kind>(), settings.field);
#include "runtime/base/settings.def"
}

std::string print_field(const Settings& settings, size_t row) {
  std::string text;
  visit_field(settings, row, [&](auto, const auto& field) { text = print(field); });
  return text;
}

std::string absolute_path(std::string_view where, std::string_view text, const std::string& home) {
  std::string path(text);
  if (path == "~" || path.starts_with("~/")) {
    if (home.empty()) user_error("{}: \"{}\" needs a home directory, but HOME is not set", where, text);
    path = home + path.substr(1);
  }
  path = std::filesystem::absolute(path).lexically_normal().string();
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// `where` is the variable or option that an error names.
template <SettingKind kind>
typename SettingType<kind>::type parsed(std::string_view where, std::string_view text, std::string_view allowed,
                                        const std::string& home) {
  if constexpr (kind == SettingKind::boolean) return parse_boolean(where, text);
  if constexpr (kind == SettingKind::tristate) return parse_tristate(where, text);
  if constexpr (kind == SettingKind::integer) return parse_integer(where, text, allowed);
  if constexpr (kind == SettingKind::bytes) return parse_bytes(where, text, allowed);
  if constexpr (kind == SettingKind::choice) return parse_choice(where, text, allowed);
  if constexpr (kind == SettingKind::list) return parse_list(where, text, allowed);
  if constexpr (kind == SettingKind::text) return parse_text(where, text, allowed);
  if constexpr (kind == SettingKind::path) return absolute_path(where, parse_text(where, text), home);
}

std::string_view find_variable(const Environment& environment, std::string_view name) {
  auto it = environment.find(name);
  return it == environment.end() ? std::string_view() : std::string_view(it->second);
}

// The XDG base directory specification: a relative XDG_CACHE_HOME is ignored.
std::string default_cache_dir(const Environment& environment) {
  std::string xdg(find_variable(environment, "XDG_CACHE_HOME")), home(find_variable(environment, "HOME"));
  if (xdg.starts_with("/")) return absolute_path("XDG_CACHE_HOME", xdg + "/cppgen", home);
  if (home.starts_with("/")) return absolute_path("HOME", home + "/.cache/cppgen", home);
  return fmt::format("/tmp/cppgen-{}", getuid());
}

// The setting that is probably meant by a name in capitals: one that other programs call so, one with only a few other
// letters, or one that begins with it.
std::optional<std::string> probable_name(std::string_view name) {
  constexpr size_t kLeastBeginning = 4;
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    names.emplace_back(row.name);
    for (const std::string& alias : split(row.aliases, ' '))
      if (alias == name || stem_of(alias) == name ||
          (name.size() >= kLeastBeginning && stem_of(alias).ends_with(fmt::format("_{}", name))))
        return names.back();
  }
  if (auto likely = likely_meant(name, names)) return likely;
  const auto longer = std::find_if(names.begin(), names.end(), [&](const auto& it) { return it.starts_with(name); });
  if (name.size() < kLeastBeginning || longer == names.end()) return std::nullopt;
  return *longer;
}

std::string hint_about(std::string_view name, std::string_view prefix) {
  const auto probable = probable_name(upper(name));
  return probable ? fmt::format("the nearest known name is {}{}", prefix, *probable)
                  : "`cppgen config` lists the settings";
}

std::optional<size_t> row_of(std::string_view name) {
  auto it = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.name == name; });
  if (it == std::end(kRows)) return std::nullopt;
  return it - std::begin(kRows);
}

const Row& row_of_kind(std::string_view name, SettingKind kind) {
  const std::optional<size_t> row = row_of(name);
  if (!row || kRows[*row].kind != kind) internal_error("settings: no row of this kind is called {}", name);
  return kRows[*row];
}

std::string variable_of(size_t row) { return fmt::format("{}{}", kPrefix, kRows[row].name); }

size_t row_of_option(std::string_view name) {
  std::string canonical = upper(name);
  std::replace(canonical.begin(), canonical.end(), '-', '_');
  if (canonical.starts_with(kPrefix)) canonical.erase(0, kPrefix.size());
  if (auto row = row_of(canonical)) return *row;
  if (const std::string_view reason = reason_of_absence(canonical); !reason.empty())
    user_error("there is no setting {}: {}", canonical, reason);
  user_error("unknown setting \"{}\"; {}", name, hint_about(canonical, ""));
}

std::string print_source(const SettingSource& source) {
  if (source.kind == SettingSource::fallback) return "default";
  if (source.kind == SettingSource::profile) return "AUTO";
  return source.kind == SettingSource::option ? "option" : source.name;
}

std::string_view shown_default(const Row& row) {
  if (!row.fallback.starts_with('<')) return row.fallback;
  return row.fallback.substr(1, row.fallback.size() - 2);
}

std::string shown_allowed(const Row& row) {
  switch (row.kind) {
    case SettingKind::boolean:
      return "0, 1";
    case SettingKind::tristate:
      return "unset, 0, 1";
    case SettingKind::text:
      return row.allowed.empty() ? "any text" : print_allowed(row.allowed);
    case SettingKind::path:
      return "any path";
    case SettingKind::bytes:
      return fmt::format("{} bytes", print_allowed(row.allowed));
    case SettingKind::list:
      return fmt::format("a list of {}", row.allowed.empty() ? "names" : print_allowed(row.allowed));
    case SettingKind::integer:
    case SettingKind::choice:
      return print_allowed(row.allowed);
  }
  internal_error("settings: unknown kind of row {}", row.name);
}

constexpr const char* kReferenceHead =
    "| variable | aliases | default | allowed | read when | effect |\n|---|---|---|---|---|---|\n";

std::vector<std::string> unknown_variable_warnings(const Environment& environment) {
  std::vector<std::string> warnings;
  for (auto it = environment.lower_bound(kPrefix); it != environment.end() && it->first.starts_with(kPrefix); ++it) {
    std::string_view name = std::string_view(it->first).substr(kPrefix.size());
    if (row_of(name)) continue;
    if (const std::string_view reason = reason_of_absence(name); !reason.empty()) {
      warnings.push_back(fmt::format("{} has no effect: {}", it->first, reason));
      continue;
    }
    warnings.push_back(fmt::format("unknown variable {} is ignored; {}", it->first, hint_about(name, kPrefix)));
  }
  return warnings;
}

// The value here of a word to which only another program gives a meaning. A list of OpenMP has a number of threads for
// each level of nested regions.
std::string_view own_value(std::string_view alias, std::string_view value) {
  if (alias == "OMP_NUM_THREADS") return value.substr(0, value.find(','));
  if (alias == "CI_FLAG" && value == "CIRCLECI") return "1";
  return value;
}

// Returns whether it is a word such as 1 and true, which are no names of files.
bool is_switch(const std::string& name) {
  try {
    (void)parse_boolean("", name);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

// Returns why a file of this name cannot be written; empty if it can.
std::string fault_of_file(const std::string& path) {
  const std::filesystem::path file(path);
  if (is_switch(file.filename().string())) return "the setting is the name of a file";
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return "it is a directory";
  const bool is_there = std::filesystem::exists(file, error);
  if (::access(is_there ? path.c_str() : file.parent_path().c_str(), W_OK) == 0) return "";
  return fmt::format("the file cannot be written: {}", std::strerror(errno));
}

}  // namespace

template <SettingKind kind>
typename SettingType<kind>::type setting_default(std::string_view name) {
  const Row& row = row_of_kind(name, kind);
  if (row.fallback.starts_with('<')) return {};
  return parsed<kind>(row.name, row.fallback, row.allowed, "");
}

template bool setting_default<SettingKind::boolean>(std::string_view);
template std::optional<bool> setting_default<SettingKind::tristate>(std::string_view);
template int64_t setting_default<SettingKind::integer>(std::string_view);
template int64_t setting_default<SettingKind::bytes>(std::string_view);
template std::string setting_default<SettingKind::text>(std::string_view);
template std::string setting_default<SettingKind::path>(std::string_view);
template std::string setting_default<SettingKind::choice>(std::string_view);
template std::vector<std::string> setting_default<SettingKind::list>(std::string_view);

size_t choice_index(std::string_view name, std::string_view word) {
  const Row& row = row_of_kind(name, SettingKind::choice);
  const std::string found = parse_choice(row.name, word, row.allowed);
  const std::vector<std::string> words = split(row.allowed, '|');
  return size_t(std::find(words.begin(), words.end(), found) - words.begin());
}

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string_view text(*entry);
    size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Settings::Settings() : Settings(process_environment()) {}

Settings::Settings(const Environment& places)
    : default_cache_dir_(default_cache_dir(places)), home_(find_variable(places, "HOME")) {
  for (size_t row = 0; row < kSettingCount; ++row)
    if (!kRows[row].fallback.starts_with('<')) assign(row, kRows[row].name, kRows[row].fallback, {});
  compile_threads = std::min(32, usable_cpus());
  max_memory = std::max<int64_t>(usable_memory() / 10 * 9, 1);  // the rest is for code, stacks and others
  resolve_places();
}

Settings Settings::from_environment(const Environment& environment,
                                    std::span<const std::pair<std::string, std::string>> options,
                                    SettingReader reader) {
  const bool all = reader == SettingReader::compiler;
  Settings settings(environment);
  for (const auto& [name, value] : options) {
    if (const Row& row = kRows[row_of_option(name)]; !all && !is_for_runs(row.use))
      user_error("the setting {} affects compilation, but a package is already compiled: remove the setting", row.name);
    settings.set(name, value);
  }
  for (size_t row = 0; row < kSettingCount; ++row)
    if ((all || is_for_runs(kRows[row].use)) && settings.sources_[row].kind != SettingSource::option)
      settings.read_row(row, environment);
  settings.resolve_places();
  settings.refuse_foreign_values();
  for (std::string& warning : unknown_variable_warnings(environment)) settings.warnings.push_back(std::move(warning));
  if (all)
    for (std::string& note : foreign_name_notes(environment)) settings.warnings.push_back(std::move(note));
  return settings;
}

SettingId setting_named(std::string_view name) { return SettingId(row_of_option(name)); }

void Settings::set(std::string_view name, std::string_view value) { set(setting_named(name), value); }

void Settings::set(SettingId id, std::string_view value) {
  const auto row = size_t(id);
  std::string where = fmt::format("option {}", kRows[row].name);
  assign(row, where, value, {SettingSource::option, where});
  resolve_places();
}

void Settings::read_row(size_t row, const Environment& environment) {
  std::string name = variable_of(row);
  if (auto value = find_variable(environment, name); !value.empty())
    return assign(row, name, value, {SettingSource::variable, name});
  read_aliases(row, environment);
}

// The first alias with a value that is allowed counts.
void Settings::read_aliases(size_t row, const Environment& environment) {
  for (const std::string& alias : split(kRows[row].aliases, ' ')) {
    const std::string_view value = find_variable(environment, alias);
    if (value.empty()) continue;
    if (sources_[row].kind != SettingSource::alias) {
      assign_alias(row, alias, value);
      continue;
    }
    const std::string first = sources_[row].name;
    Settings other = *this;
    other.warnings.clear();
    if (!other.assign_alias(row, alias, value) || print_field(other, row) != print_field(*this, row))
      warnings.push_back(fmt::format("{}={} is ignored because {}={} also sets {}; set {} to choose", alias, value,
                                     first, find_variable(environment, first), kRows[row].name, variable_of(row)));
  }
}

// Assigns the allowed words of a list. False, with a warning, if there are none.
bool Settings::assign_alias(size_t row, const std::string& alias, std::string_view value) {
  std::string allowed_part(own_value(alias, value));
  if (kRows[row].kind == SettingKind::list) {
    auto [known, unknown] = known_words(value, kRows[row].allowed);
    if (!known.empty() && !unknown.empty()) {
      warnings.push_back(fmt::format("{}={}: {} {} ignored; allowed for {}: {}", alias, value, unknown,
                                     unknown.find(',') == unknown.npos ? "is" : "are", kRows[row].name,
                                     print_allowed(kRows[row].allowed)));
      allowed_part = known;
    }
  }
  try {
    assign(row, alias, allowed_part, {SettingSource::alias, alias});
    return true;
  } catch (const UserError& error) {
    warnings.push_back(fmt::format("{}; it is ignored; set {} to choose", error.what(), variable_of(row)));
    return false;
  }
}

bool Settings::ignore_alias(SettingId id, std::string_view reason) {
  const size_t row = static_cast<size_t>(id);
  if (sources_[row].kind != SettingSource::alias) return false;
  const bool may_hold_a_password = id == SettingId::remote_cache;
  const std::string value = may_hold_a_password ? "..." : print_field(*this, row);
  warnings.push_back(fmt::format("{}={} is ignored: {}", sources_[row].name, value, reason));
  if (kRows[row].fallback.starts_with('<'))
    visit_field(*this, row, [](auto, auto& field) { field = {}; });
  else
    assign(row, kRows[row].name, kRows[row].fallback, {});
  sources_[row] = {};
  resolve_places();
  return true;
}

// What other programs understand otherwise, or what only they can write, does not stop us.
void Settings::refuse_foreign_values() {
  for (const SettingId id : {SettingId::profile_output, SettingId::ops_record})
    if (sources_[size_t(id)].kind == SettingSource::alias)
      if (const std::string fault = fault_of_file(print_field(*this, size_t(id))); !fault.empty())
        ignore_alias(id, fault);
  const std::filesystem::path logs(worker_log_path), caches = std::filesystem::path(cache_dir).parent_path();
  for (const auto& [id, directory] :
       {std::pair(SettingId::worker_log_path, logs), std::pair(SettingId::cache_dir, caches)})
    if (std::error_code error; is_switch(directory.filename().string()) && !std::filesystem::exists(directory, error))
      ignore_alias(id, "the setting is the name of a directory");
}

void Settings::propose(SettingId id, std::string_view value) {
  const size_t row = static_cast<size_t>(id);
  if (sources_[row].kind == SettingSource::fallback) assign(row, kRows[row].name, value, {SettingSource::profile, ""});
}

// `where` is the variable or option that an error names.
void Settings::assign(size_t row, std::string_view where, std::string_view value, SettingSource source) {
  visit_field(*this, row, [&](auto kind, auto& field) {
    auto text = parsed<decltype(kind)::value>(where, value, kRows[row].allowed, home_);
    if constexpr (decltype(kind)::value == SettingKind::text)
      if (SettingId(row) == SettingId::debug_level) check_debug_level(where, text);
    field = std::move(text);
  });
  constexpr size_t cache_dir_row = static_cast<size_t>(SettingId::cache_dir);
  if (row == cache_dir_row && source.kind == SettingSource::alias) cache_dir += "/cppgen";
  sources_[row] = std::move(source);
}

// Defaults that depend on other values; run again after every change.
void Settings::resolve_places() {
  if (source(SettingId::cache_dir).kind == SettingSource::fallback) cache_dir = default_cache_dir_;
  if (source(SettingId::trace_dir).kind == SettingSource::fallback) trace_dir = cache_dir + "/trace";
}

std::vector<SettingDescription> Settings::describe() const {
  std::vector<SettingDescription> descriptions;
  for (size_t row = 0; row < kSettingCount; ++row) {
    const Row& r = kRows[row];
    descriptions.push_back({group_of(row), r.name, print_field(*this, row), print_source(sources_[row]),
                            shown_default(r), shown_allowed(r), split(r.aliases, ' '), kTexts[row].doc,
                            changes_kernels(r.use), is_for_runs(r.use)});
  }
  return descriptions;
}

std::string Settings::key_text() const {
  std::string text;
  for (size_t row = 0; row < kSettingCount; ++row) {
    if (!changes_kernels(kRows[row].use)) continue;
    std::string value = print_field(*this, row);
    text += fmt::format("{}={}:{}\n", kRows[row].name, value.size(), value);
  }
  return text;
}

std::string settings_reference_markdown() {
  constexpr std::string_view kUses[] = {"compiling, changes kernels", "compiling", "running",
                                        "compiling, changes kernels; running"};
  std::vector<std::pair<std::string_view, std::string>> groups;  // titles and tables
  for (size_t r = 0; r < kSettingCount; r++) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == group_of(r); });
    if (group == groups.end()) group = groups.insert(group, {group_of(r), kReferenceHead});
    const Row& row = kRows[r];
    std::string aliases;
    for (const std::string& alias : split(row.aliases, ' '))
      aliases += fmt::format("{}`{}`", aliases.empty() ? "" : ", ", alias);
    group->second += fmt::format("| `{}{}` | {} | `{}` | {} | {} | {} |\n", kPrefix, row.name, aliases,
                                 shown_default(row), shown_allowed(row), kUses[row.use], kTexts[r].doc);
  }
  std::string text;
  for (const auto& [title, table] : groups)
    text += fmt::format("{}## {}\n\n{}", text.empty() ? "" : "\n", title, table);
  return text;
}

}  // namespace cppgen
