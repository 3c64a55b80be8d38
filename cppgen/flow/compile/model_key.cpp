#include "cppgen/flow/compile/model_key.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cppgen/compile/vec_headers.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/known_compiler.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/support/hashing.h"
#include "isa/cpu_features.h"
#include "runtime/abi/abi.h"
#include "runtime/base/version.h"
#include "runtime/package/versions.h"

namespace cppgen {
namespace {

// Distinguishes this build of the compiler from another build of the same version, which may emit different kernels.
std::string build_identity() {
  struct stat info {};
  if (stat("/proc/self/exe", &info) != 0) return {};
  return fmt::format("{} {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

// The hash of the headers that kernels include.
std::string headers_hash(const Settings& settings) {
  if (!settings.include_from_sourcetree) return embedded_headers_hash();
  return VecHeaders::from_directory(usable_source_tree()).hash();
}

// Kernels are keyed by the same properties of the compiler.
void hash_compiler(Hasher& hasher, const Settings& settings) {
  const Toolchain compiler = known_compiler(settings);
  hasher.field("compiler", compiler.identity).field("command", compiler.command);
}

// Folding ends where constants would take half of it. Without a setting it is that of the machine, which differs a
// little after each start.
void hash_memory(Hasher& hasher, const Settings& settings) {
  const bool given = settings.source(SettingId::max_memory).kind != SettingSource::fallback;
  hasher.field("memory", given ? settings.max_memory : cache_class(settings.max_memory));
}

// The bytes of the description and of the libraries that it names, if they are there.
void hash_custom(Hasher& hasher, const rt::CustomFile& file) {
  hasher.field("custom", file.bytes);
  for (const rt::CustomDescription& d : file.operators)
    if (d.function && std::filesystem::is_regular_file(d.function->path))
      hasher.field("library", file_sha256_hex(d.function->path));
}

void hash_choices(Hasher& hasher, const schedule::Choices& choices) {
  for (const auto& [site, choice] : choices)
    hasher.field("site", site)
        .field("backend", choice.backend)
        .field("epilogue", int64_t(choice.separate_epilogue))
        .field("tuning", choice.tuning);
}

}  // namespace

std::string model_key(const CompileRequest& request, const std::vector<rt::CustomFile>& custom,
                      const std::string& model_sha256) {
  Hasher hasher;
  hasher.field("model", model_sha256);
  hasher.field("name", std::filesystem::path(request.model).filename().string());
  hasher.field("settings", request.settings.key_text());
  hash_compiler(hasher, request.settings);
  hash_memory(hasher, request.settings);
  for (const auto& d : request.dims)
    hasher.field("dim", fmt::format("{}|{}|{}|{}", d.input, d.axis, d.symbol, d.size.value_or(-1)));
  for (const StateOption& state : request.states)
    hasher.field("state", fmt::format("{}|{}|{}", state.present, state.past, state.capacity));
  for (const auto& version : request.versions) hasher.field("version", rt::name_of(version));
  for (const rt::CustomFile& file : custom) hash_custom(hasher, file);
  for (const VecISA* isa : possible_isas(request.settings)) {
    hasher.field("isa", std::string(isa->name));
    if (const auto choices = stored_choices(*isa, request.settings)) hash_choices(hasher, *choices);
  }
  hasher.field("l2", cache_class(this_machine().l2_bytes)).field("l3", cache_class(this_machine().l3_bytes));
  hasher.field("vendor", cpu_vendor());
  hasher.field("build", build_identity());
  hasher.field("headers", headers_hash(request.settings))
      .field("abi", CPPGEN_ABI_VERSION)
      .field("version", rt::kVersion);
  return hasher.hex();
}

}  // namespace cppgen
