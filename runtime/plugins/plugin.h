#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/version.h"
#include "runtime/library/library.h"

namespace cppgen::rt {

// A plugin is a shared library of the runtime with the code of one large dependency, which is loaded when a model first
// needs it (plugins.h). It exports one object, `cppgen_plugin`, of one of the types below, and is of the same build as
// the runtime, because the two share C++ types.

// Equal for builds whose types agree: the version, the compiler, and its C++ ABI. The first member of each plugin.
inline constexpr std::string_view kPluginBuild = CPPGEN_VERSION_TEXT " " __VERSION__;

// oneDNN and libxsmm.
struct LibraryPlugin {
  const char* build;
  std::span<const LibraryFunction> functions;
  int (*float_lanes)();  // of the vectors that the library uses in this process; 0 if it has no kernels for this CPU
};

// A regular expression in RE2's syntax. May be used by several threads at once.
class Regex {
 public:
  struct Found {
    size_t at = 0, length = 0;
  };
  virtual ~Regex() = default;
  virtual bool matches_all_of(std::string_view text) const = 0;
  // The first match in `text` that begins at or after `from`.
  virtual std::optional<Found> find(std::string_view text, size_t from) const = 0;
};

enum class RegexMatch { first, longest };  // of the matches that begin at the same position

struct RegexPlugin {
  const char* build;
  // Null, and why in `error`, for a pattern that is not a valid regular expression.
  std::unique_ptr<const Regex> (*compile)(const std::string& pattern, RegexMatch, std::string& error);
};

}  // namespace cppgen::rt
