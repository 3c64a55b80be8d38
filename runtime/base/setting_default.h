#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cppgen {

struct Settings;  // all of them (settings.h)

// The kinds of rows in settings.def and their C++ types.
enum class SettingKind {
  boolean,   // bool: 1/0, true/false, yes/no, on/off, ok, easy in any case
  tristate,  // std::optional<bool>: as boolean, or unset/auto
  integer,   // int64_t
  bytes,     // int64_t: a count of bytes, or with a suffix KiB MiB GiB TiB (1024) or kB MB GB TB (1000)
  text,      // std::string
  path,      // std::string: absolute; a leading ~/ is the home directory
  choice,    // std::string: one of the allowed words, in the table's spelling
  list,      // std::vector<std::string>: distinct words, allowed ones if the row lists any, in the user's order
};

template <SettingKind>
struct SettingType;
template <>
struct SettingType<SettingKind::boolean> {
  using type = bool;
};
template <>
struct SettingType<SettingKind::tristate> {
  using type = std::optional<bool>;
};
template <>
struct SettingType<SettingKind::integer> {
  using type = int64_t;
};
template <>
struct SettingType<SettingKind::bytes> {
  using type = int64_t;
};
template <>
struct SettingType<SettingKind::text> {
  using type = std::string;
};
template <>
struct SettingType<SettingKind::path> {
  using type = std::string;
};
template <>
struct SettingType<SettingKind::choice> {
  using type = std::string;
};
template <>
struct SettingType<SettingKind::list> {
  using type = std::vector<std::string>;
};

// The default of the row of this name, as the initial value of the member that holds the setting; empty for a computed
// default. Rows are found by name, so what holds a few settings does not depend on the whole table. InternalError if no
// row of this kind has the name.
template <SettingKind kind>
typename SettingType<kind>::type setting_default(std::string_view name);

// The position of a word among the allowed words of a choice, so that an enum with these words in the same order has
// its values. UserError for another word.
size_t choice_index(std::string_view name, std::string_view word);

// A row as a member, with its default, of a struct that consists of rows.
#define CPPGEN_SETTING_MEMBER(kind, field, name, ...) \
  SettingType<SettingKind::kind>::type field = setting_default<SettingKind::kind>(#name);

}  // namespace cppgen
