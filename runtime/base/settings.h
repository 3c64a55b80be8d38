#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/setting_default.h"

namespace cppgen {

enum class SettingId {
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) field,
#include "runtime/base/settings.def"
  count
};
inline constexpr size_t kSettingCount = static_cast<size_t>(SettingId::count);

template <SettingId>
struct SettingOf;
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) \
  template <>                                                                 \
  struct SettingOf<SettingId::field> {                                        \
    using type = SettingType<SettingKind::kind>::type;                        \
    static constexpr SettingKind setting_kind = SettingKind::kind;            \
    static constexpr std::string_view setting_name = #name;                   \
  };
#include "runtime/base/settings.def"

// The same as for its name (setting_default.h).
template <SettingId id>
typename SettingOf<id>::type setting_default() {
  return setting_default<SettingOf<id>::setting_kind>(SettingOf<id>::setting_name);
}

// The beginnings of the variables of other programs.
inline constexpr std::string_view kForeignPrefixes[] = {
    "TORCHINDUCTOR_CPP_", "TORCHINDUCTOR_", "TORCH_COMPILE_", "AOT_INDUCTOR_", "AOTINDUCTOR_",
    "INDUCTOR_",          "AIT_",           "EJKERNEL_",      "EASYDEL_"};

// Variables by name. An empty value counts as unset.
using Environment = std::map<std::string, std::string, std::less<>>;
Environment process_environment();

// States where a value came from; `name` is the variable for `variable` and `alias`.
struct SettingSource {
  enum Kind { fallback, profile, alias, variable, option } kind = fallback;
  std::string name;
};

// One setting as it is displayed by `cppgen config` and on the reference page.
struct SettingDescription {
  std::string_view group;  // as on the reference page
  std::string_view name;   // without CPPGEN_
  std::string value;
  std::string source;              // "default", "AUTO", "option", or the name of the variable
  std::string_view default_value;  // a computed default is described in words
  std::string allowed;
  std::vector<std::string> aliases;
  std::string_view doc;
  bool in_key;   // part of the kernel key
  bool running;  // also read by programs that only run packages
};

// The reader of settings: the compiler reads all of them; a program that only runs packages reads those of a run.
enum class SettingReader { compiler, runtime };

// Every setting, one typed field per row of settings.def, named in lower case: settings.min_chunk_size.
struct Settings {
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, in_key) \
  SettingType<SettingKind::kind>::type field{};
#include "runtime/base/settings.def"

  // Warnings about unknown CPPGEN_ variables and about ignored variables of other programs; to be logged once the log
  // level is set.
  std::vector<std::string> warnings;

  Settings();  // all defaults; paths (CACHE_DIR) come from this process's environment

  // Precedence: options, CPPGEN_ variables, aliases, defaults. `options` are pairs as for set(). A name that is given
  // as an option is not looked up in the environment. Throws UserError for an unknown option, for an option that the
  // reader does not use, and for a value of an option or a CPPGEN_ variable that is not allowed. An alias whose value
  // is not allowed, or differs from that of an earlier alias, is ignored with a warning.
  static Settings from_environment(const Environment& = process_environment(),
                                   std::span<const std::pair<std::string, std::string>> options = {},
                                   SettingReader = SettingReader::compiler);

  // If the value came from an alias, restores the default with a warning that ends in `reason`. This is for values that
  // prove impossible only in use, such as a compiler that is not installed. Otherwise does nothing and returns false.
  bool ignore_alias(SettingId, std::string_view reason);

  // Sets an option of the command line or the API, which overrides the environment. Names are accepted as
  // MIN_CHUNK_SIZE, min_chunk_size, min-chunk-size and CPPGEN_MIN_CHUNK_SIZE. Throws UserError like from_environment.
  void set(std::string_view name, std::string_view value);
  void set(SettingId, std::string_view value);

  // A value for a setting that the user left open, by the profile of the host; otherwise does nothing.
  void propose(SettingId, std::string_view value);

  const SettingSource& source(SettingId id) const { return sources_[static_cast<size_t>(id)]; }

  std::vector<SettingDescription> describe() const;  // in the order of the table

  // The settings that change generated code or the plan, each field delimited: equal texts have equal meaning.
  std::string key_text() const;

 private:
  explicit Settings(const Environment& places);
  void assign(size_t row, std::string_view where, std::string_view value, SettingSource source);
  void read_row(size_t row, const Environment& environment);
  void read_aliases(size_t row, const Environment& environment);
  bool assign_alias(size_t row, const std::string& alias, std::string_view value);
  void refuse_foreign_values();
  void resolve_places();
  std::array<SettingSource, kSettingCount> sources_;
  std::string default_cache_dir_;
  std::string home_;
};

// The setting of this name, in any of the spellings that set() accepts. UserError for another name, with what was
// probably meant.
SettingId setting_named(std::string_view name);

// The reference of all settings in Markdown: for each group a heading and a table.
std::string settings_reference_markdown();

}  // namespace cppgen
