// The C API's options: structs of the caller that may be older or newer than this library.
#include <cstddef>
#include <mutex>
#include <set>

#include "runtime/base/setting_values.h"
#include "runtime/base/settings.h"
#include "runtime/session/c_api_support.h"

using namespace cppgen;
using namespace cppgen::rt;

namespace {

// One copy of each text, so that options need not own it; null for none.
const char* lasting_text(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::lock_guard lock(mutex);
  return text.empty() ? nullptr : texts.insert(text).first->c_str();
}

// Calls visit.template operator()<id>(member, setting) for each member of cppgen_options that is one setting.
template <class Options, class From, class Visit>
void visit_settings(Options& options, From& settings, const Visit& visit) {
  visit.template operator()<SettingId::threads>(options.threads, settings.threads);
  visit.template operator()<SettingId::affinity>(options.affinity, settings.affinity);
  visit.template operator()<SettingId::smt>(options.smt, settings.smt);
  visit.template operator()<SettingId::min_chunk_size>(options.min_chunk_size, settings.min_chunk_size);
  visit.template operator()<SettingId::memory_planning>(options.memory_planning, settings.memory_planning);
  visit.template operator()<SettingId::spin_microseconds>(options.spin_microseconds, settings.spin_microseconds);
  visit.template operator()<SettingId::enable_kernel_profile>(options.profile, settings.enable_kernel_profile);
  visit.template operator()<SettingId::custom_ops>(options.custom_ops, settings.custom_ops);
}

// NAME and VALUE of each line of `options.settings`.
std::vector<std::pair<std::string, std::string>> named_settings(const cppgen_options& options) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::string& line : setting_values::split(options.settings ? options.settings : "", '\n')) {
    const size_t equals = line.find('=');
    if (equals == line.npos || equals == 0) user_error("settings: '{}' is not NAME=VALUE", line);
    given.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return given;
}

// The size in the first header whose options have one.
constexpr size_t kLeastOptions = offsetof(cppgen_options, pool);

}  // namespace

namespace cppgen::rt {

cppgen_options environment_options() {
  const Settings settings = environment_settings();
  cppgen_options options{};
  options.struct_size = sizeof options;
  options.streams = concurrent_steps(SessionOptions::from(settings));
  visit_settings(options, settings, []<SettingId>(auto& member, const auto& value) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(member)>>)
      member = lasting_text(value);
    else
      member = value;
  });
  return options;
}

Settings settings_of(const cppgen_options& options) {
  Settings settings =
      Settings::from_environment(process_environment(), named_settings(options), SettingReader::runtime);
  visit_settings(options, settings, [&]<SettingId id>(const auto& member, auto& value) {
    if constexpr (!std::is_pointer_v<std::decay_t<decltype(member)>>)
      settings.set(id, setting_values::print(std::decay_t<decltype(value)>(member)));
    else if (member && *member)
      settings.set(id, member);
    else
      value = setting_default<id>();
  });
  return settings;
}

cppgen_options options_of(const cppgen_options* options) {
  if (!options) return environment_options();
  return sized_copy(options, options->struct_size, cppgen_options{}, kLeastOptions, "options");
}

SessionOptions session_options(const cppgen_options& options, const Settings& settings) {
  if (options.streams < 1) user_error("streams is {}; allowed is 1 or more", options.streams);
  SessionOptions used = SessionOptions::from(settings);
  used.multistream_mode = options.streams > 1;
  used.multistream_extra_streams = options.streams - 1;
  used.allocator = allocator_of(options.allocator);
  return used;
}

}  // namespace cppgen::rt

cppgen_status cppgen_options_init_sized(cppgen_options* options, size_t size, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(options, "options");
    if (size < kLeastOptions) user_error("options: the size {} is none that a version of cppgen.h has", size);
    cppgen_options values = environment_options();
    values.struct_size = size;
    write_sized(options, size, values);
  });
}

// The inline function of this name in today's header replaces this one: it was compiled into programs of version 0.1,
// wrote as many bytes as the library's struct had, and so cannot be served.
extern "C" cppgen_status unsized_options_init(void*, cppgen_error* error) __asm__("cppgen_options_init");
cppgen_status unsized_options_init(void*, cppgen_error* error) {
  return failed(CPPGEN_USER_ERROR,
                "the program was compiled with the header of cppgen 0.1, whose options have no size: compile it again",
                error);
}
