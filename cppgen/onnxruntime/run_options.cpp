#include "cppgen/onnxruntime/run_options.h"

#include <map>
#include <nlohmann/json.hpp>

namespace cppgen::ep {
namespace {

// One setting, after the environment was read.
struct SettingValue {
  std::string value;
  bool given = false;       // by the session
  bool is_default = false;  // given by nobody; the setting AUTO may have chosen it
  bool of_runs = false;     // the runtime reads it, and refuses those of the compiler
};
using SettingValues = std::map<std::string, SettingValue>;

SettingValues values_with(const ProviderOptions& options) {
  cppgen_request* made = nullptr;
  detail::call(cppgen_request_create, &made);
  const detail::Handle<cppgen_request, cppgen_request_free> request(made);
  for (const auto& [name, value] : options.settings)
    detail::call(cppgen_request_set, made, name.c_str(), value.c_str());
  char* text = nullptr;
  detail::call(cppgen_config, made, &text);
  const detail::Handle<char, cppgen_text_free> held(text);
  const auto json = nlohmann::json::parse(text);
  SettingValues values;
  for (const auto& setting : json.at("settings"))
    values[setting.at("name")] = {setting.at("value"), setting.at("source") == "option",
                                  setting.at("source") == "default" || setting.at("source") == "AUTO",
                                  setting.at("used_by_runs")};
  return values;
}

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "" : ":") + path;
  return text;
}

}  // namespace

RunOptions::RunOptions(const ProviderOptions& options) {
  SettingValues values = values_with(options);
  if (values.at("THREADS").is_default) host_threads_ = std::make_unique<HostThreads>(usable_threads());
  // Members of the options precede lines of settings.
  const auto take = [&](const char* name) { return std::exchange(values.at(name), {}).value; };
  options_.threads = std::stoll(take("THREADS"));
  affinity_ = take("AFFINITY");
  options_.affinity = affinity_.c_str();
  options_.smt = take("SMT") == "1";
  options_.min_chunk_size = std::stoll(take("MIN_CHUNK_SIZE"));
  options_.memory_planning = take("MEMORY_PLANNING") == "1";
  options_.spin_microseconds = std::stoll(take("SPIN_MICROSECONDS"));
  options_.profile = take("ENABLE_KERNEL_PROFILE") == "1";
  custom_operators_ = take("CUSTOM_OPS");
  if (!options.custom_operators.empty())
    custom_operators_ += (custom_operators_.empty() ? "" : ":") + joined(options.custom_operators);
  options_.custom_ops = custom_operators_.c_str();
  for (const auto& [name, setting] : values)
    if (setting.given && setting.of_runs) settings_ += name + "=" + setting.value + "\n";
  if (!settings_.empty()) options_.settings = settings_.c_str();
  alone_ = options_;
  alone_.threads = 1;
  if (host_threads_)
    pool_.emplace(host_threads_->executor(), 0);
  else
    pool_.emplace(options_);
  options_.pool = pool_->get();
}

Options RunOptions::with_threads(int count) const {
  Options options = options_;
  options.threads = count;
  options.pool = nullptr;
  std::call_once(own_once_, [&] { own_pool_.emplace(options); });
  options.pool = own_pool_->get();
  return options;
}

}  // namespace cppgen::ep
