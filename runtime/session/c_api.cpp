#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "runtime/base/setting_values.h"
#include "runtime/base/settings.h"
#include "runtime/package/version.h"
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

// All settings of a run. UserError for values that are not allowed.
Settings settings_of(const cppgen_options& options) {
  if (options.struct_size != sizeof(cppgen_options))
    user_error("options have {} bytes, expected {}: initialise them with cppgen_options_init", options.struct_size,
               sizeof(cppgen_options));
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

SessionOptions session_options(const cppgen_options& options, const Settings& settings) {
  if (options.streams < 1) user_error("streams is {}; allowed is 1 or more", options.streams);
  SessionOptions used = SessionOptions::from(settings);
  used.multistream_mode = options.streams > 1;
  used.multistream_extra_streams = options.streams - 1;
  return used;
}

// Views of the caller's tensors, on the stack for usual counts, so that a run allocates nothing.
template <class View>
class Views {
 public:
  Views(const cppgen_tensor* tensors, size_t count) {
    require_argument(tensors || count == 0, "tensors");
    View* views = few_;
    if (count > kFew) {
      many_.resize(count);
      views = many_.data();
    }
    for (size_t i = 0; i < count; i++) {
      const cppgen_tensor& tensor = tensors[i];
      if (unsigned(tensor.dtype) >= unsigned(kDTypeCount))
        user_error("tensor {} has the unknown type {}", i, int(tensor.dtype));
      require_argument(tensor.dims || tensor.rank == 0, "dims");
      views[i] = {DType(tensor.dtype), {tensor.dims, tensor.rank}, tensor.data};
    }
    views_ = {views, count};
  }
  std::span<const View> get() const { return views_; }

 private:
  static constexpr size_t kFew = 16;
  View few_[kFew];
  std::vector<View> many_;
  std::span<const View> views_;
};

// One for each version of the model that ran.
std::string profile_tables(const Session& session) {
  if (session.versions().empty()) return profile_text(session.plan(), session.profile(), session.labels());
  std::vector<const Session*> all{&session};
  for (const auto& version : session.versions()) all.push_back(version.get());
  std::string text;
  for (const Session* version : all) {
    const std::vector<StepProfile> profile = version->profile();
    if (std::all_of(profile.begin(), profile.end(), [](const StepProfile& step) { return step.calls == 0; })) continue;
    text += fmt::format("version {}\n", version->executable().version());
    text += profile_text(version->plan(), profile, version->labels());
  }
  return text;
}

cppgen_status describe(const std::vector<cppgen_session::Description>& tensors, size_t index, cppgen_tensor_info* info,
                       cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(info, "info");
    if (index >= tensors.size()) user_error("there is no tensor {}; the model has {}", index, tensors.size());
    const auto& it = tensors[index];
    *info = {it.name.c_str(), it.dtype, it.dims.size(), it.dims.data()};
  });
}

}  // namespace

cppgen_status cppgen_options_init(cppgen_options* options, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(options, "options");
    *options = environment_options();
  });
}

cppgen_status cppgen_session_load(const char* path, const cppgen_options* options, cppgen_session** session,
                                  cppgen_error* error) {
  if (session) *session = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(path, "path");
    const cppgen_options used = options ? *options : environment_options();
    const Settings settings = settings_of(used);
    *session =
        new cppgen_session(path, LoadOptions::from(settings, used.trust_weights != 0), session_options(used, settings));
  });
}

void cppgen_session_free(cppgen_session* session) { delete session; }

size_t cppgen_session_input_count(const cppgen_session* session) { return session ? session->inputs.size() : 0; }
size_t cppgen_session_output_count(const cppgen_session* session) { return session ? session->outputs.size() : 0; }

cppgen_status cppgen_session_input(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                   cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return describe(session->inputs, index, info, error);
}

cppgen_status cppgen_session_output(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                    cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return describe(session->outputs, index, info, error);
}

cppgen_status cppgen_session_output_dims(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                         size_t index, int64_t* dims, size_t capacity, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    if (index >= session->outputs.size())
      user_error("there is no output {}; the model has {}", index, session->outputs.size());
    const Views<TensorView> views(inputs, input_count);
    const std::vector<int64_t> found = session->session.output_dims(views.get())[index];
    if (found.size() > capacity)
      user_error("there is space for {} dimensions; the output has {}", capacity, found.size());
    require_argument(dims || found.empty(), "dims");
    std::copy(found.begin(), found.end(), dims);
  });
}

cppgen_status cppgen_session_run(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                 const cppgen_tensor* outputs, size_t output_count, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    const Views<TensorView> in(inputs, input_count);
    const Views<OutputView> out(outputs, output_count);
    session->session.run(in.get(), out.get());
  });
}

cppgen_status cppgen_session_set_parameter(cppgen_session* session, const char* name, const cppgen_tensor* value,
                                           cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(name, "name");
    require_argument(value, "value");
    const Views<TensorView> view(value, 1);
    session->session.set_parameter(name, view.get()[0]);
  });
}

cppgen_status cppgen_session_stats(const cppgen_session* session, cppgen_stats* stats, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(stats, "stats");
    const SessionStats found = session->session.stats();
    *stats = {found.threads, found.steps, found.weights_bytes, found.arena_bytes};
  });
}

cppgen_status cppgen_session_profile(const cppgen_session* session, char* text, size_t capacity, size_t* length,
                                     cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(text || capacity == 0, "text");
    const std::string table = profile_tables(session->session);
    if (length) *length = table.size();
    if (capacity == 0) return;
    const size_t count = std::min(table.size(), capacity - 1);
    std::memcpy(text, table.data(), count);
    text[count] = '\0';
  });
}

const char* cppgen_version(void) { return kVersion.data(); }
