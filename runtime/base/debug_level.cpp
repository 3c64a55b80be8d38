#include "runtime/base/debug_level.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

constexpr std::string_view kOptions[] = {"-O",
                                         "-O0",
                                         "-O1",
                                         "-O2",
                                         "-O3",
                                         "-Og",
                                         "-Os",
                                         "-Oz",
                                         "-fomit-frame-pointer",
                                         "-fno-omit-frame-pointer",
                                         "-fno-inline",
                                         "-fno-optimize-sibling-calls",
                                         "-fvar-tracking",
                                         "-fno-var-tracking",
                                         "-fvar-tracking-assignments",
                                         "-fno-var-tracking-assignments"};

// Beginnings, behind which only words of small letters, digits, '-', '=' and ',' follow: nothing that names a file.
constexpr std::string_view kBeginnings[] = {
    "-g", "-fsanitize=", "-fno-sanitize=", "-fsanitize-recover=", "-fno-sanitize-recover"};

bool is_plain(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-=,") == text.npos;
}

bool is_debug_option(std::string_view word) {
  if (std::find(std::begin(kOptions), std::end(kOptions), word) != std::end(kOptions)) return true;
  return is_plain(word) && std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                                       [&](std::string_view beginning) { return word.starts_with(beginning); });
}

}  // namespace

void check_debug_level(std::string_view where, std::string_view value) {
  if (!value.starts_with('-')) return;  // a number
  for (const std::string& word : setting_values::split(value, ' '))
    if (!is_debug_option(word))
      user_error(
          "{}: the option \"{}\" is not allowed; allowed: 0, 1, 2, or options that begin with -g or -fsanitize=, {}",
          where, one_line(word), fmt::join(kOptions, ", "));
}

}  // namespace cppgen
