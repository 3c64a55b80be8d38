#include "cppgen/emit/object_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cppgen/compile/compile_error.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen::emit {
namespace {

constexpr double kPollSeconds = 0.02;

void poll(const CompileOptions& options) {
  if (options.cancel && options.cancel->cancelled()) throw Cancelled("interrupted");
}

void require_success(const ProcessResult& result, const std::string& what, const std::vector<std::string>& command) {
  if (result.ok()) return;
  const auto kind = result.end == ProcessResult::End::timed_out ? CompileFailure::timed_out : CompileFailure::failed;
  throw CompileError(
      kind, "", fmt::format("{} {}\n  command: {}\n{}", what, result.describe(), join_command(command), result.output));
}

std::string binutil(const std::string& name) {
  const std::optional<std::string> program = find_program(name);
  if (!program) user_error("--emit needs the program '{}', which is not in PATH: install binutils", name);
  return *program;
}

std::string object_of(const Project::Unit& unit) { return unit.path + ".o"; }

}  // namespace

struct ObjectBuild::Work {
  const Project::Unit* unit;
  std::optional<KernelKey> key;
};

ObjectBuild::ObjectBuild(const CompileOptions& options, std::string directory)
    : options_(options), directory_(std::move(directory)), toolchain_(Toolchain::find(options.cxx)), caches_(options) {}

void ObjectBuild::write(const std::string& file, std::string_view content) const {
  const std::string path = directory_ + "/" + file;
  if (const int error = write_file(path, content)) user_error("{}: cannot be written: {}", path, error_text(error));
}

ProcessSpec ObjectBuild::process(std::vector<std::string> command) const {
  ProcessSpec spec;
  spec.argv = std::move(command);
  spec.working_directory = directory_;
  spec.timeout_seconds = double(options_.compile_timeout_seconds);
  spec.environment = compiler_environment(toolchain_, directory_);
  return spec;
}

std::vector<std::string> ObjectBuild::command_of(const Project::Unit& unit) const {
  std::vector<std::string> command = toolchain_.launched ? toolchain_.launched->command : toolchain_.command;
  command.insert(command.end(), unit.flags.begin(), unit.flags.end());
  command.insert(command.end(), {"-I.", "-Isupport", "-c", "-o", object_of(unit), unit.path});
  return command;
}

// nullopt for an object that is not cached.
std::optional<KernelKey> ObjectBuild::key_of(const Project::Unit& unit, const std::string& headers_hash) const {
  if (unit.has_weights) return std::nullopt;
  CompileJob job;
  job.source = read_file(directory_ + "/" + unit.path);
  std::vector<std::string> flags = unit.flags;
  flags.insert(flags.end(), {"-c", unit.path});  // the path is in the object
  return make_kernel_key(job, flags, toolchain_.identity_of_command(), headers_hash, options_.abi_version);
}

bool ObjectBuild::take_from_cache(const Work& work) {
  const auto entry = work.key ? caches_.find(*work.key, work.unit->path) : std::nullopt;
  if (!entry) return false;
  CompiledObject object;
  object.path = entry->path;
  write(object_of(*work.unit), read_object(object));
  ++cached_;
  return true;
}

void ObjectBuild::store(const Work& work) {
  if (work.key) (void)caches_.store(*work.key, work.unit->path, read_file(directory_ + "/" + object_of(*work.unit)));
}

std::vector<std::string> ObjectBuild::compile(const std::vector<Project::Unit>& units,
                                              const std::string& headers_hash) {
  std::vector<Work> all;
  std::vector<std::string> objects;
  for (const Project::Unit& unit : units) {
    all.push_back({&unit, key_of(unit, headers_hash)});
    objects.push_back(object_of(unit));
  }
  std::vector<const Work*> missing;
  for (const Work& work : all)
    if (!take_from_cache(work)) missing.push_back(&work);
  compile_missing(missing, int(all.size()));
  return objects;
}

void ObjectBuild::compile_missing(const std::vector<const Work*>& missing, int total) {
  const size_t most =
      options_.compile_threads > 0 ? size_t(options_.compile_threads) : size_t(std::min(32, usable_cpus()));
  PosixProcessRunner runner;
  std::map<int, const Work*> running;
  for (size_t next = 0, done = 0; done < missing.size();) {
    poll(options_);
    for (; next < missing.size() && running.size() < most; next++) {
      running.emplace(runner.start(process(command_of(*missing[next]->unit))), missing[next]);
    }
    const auto ended = runner.wait_any(kPollSeconds);
    if (!ended) continue;
    const Work& work = *running.at(ended->id);
    require_success(ended->result, fmt::format("the compiler of '{}'", work.unit->path), command_of(*work.unit));
    store(work);
    running.erase(ended->id), done++;
    if (options_.on_progress) options_.on_progress(total - int(missing.size() - done), total);
  }
  caches_.finish();
}

void require_binutils() {
  for (const char* name : {"ar", "objcopy"}) (void)binutil(name);
}

void ObjectBuild::archive(const std::vector<std::string>& objects, const std::string& library) {
  std::vector<std::string> command{binutil("ar")};
  command.insert(command.end(), {"rcsD", library});
  command.insert(command.end(), objects.begin(), objects.end());
  run(command);
}

void ObjectBuild::write_library_object(const std::string& model) {
  const std::string object(kLibraryObject);
  write(object, linked_library());
  std::vector<std::string> command{binutil("objcopy")};
  for (const auto& [from, to] : library_names(model)) command.push_back(fmt::format("--redefine-sym={}={}", from, to));
  command.push_back(object);
  run(command);
}

void ObjectBuild::link(const std::vector<std::string>& objects, const std::string& program) {
  std::vector<std::string> command = toolchain_.command;
  command.insert(command.end(), {"-static", "-pthread", "-Wl,--gc-sections", "-s", "-o", program});
  command.insert(command.end(), objects.begin(), objects.end());
  command.push_back("-lm");
  run(command);
}

void ObjectBuild::run(const std::vector<std::string>& command) {
  PosixProcessRunner runner;
  const int id = runner.start(process(command));
  for (;;) {
    poll(options_);
    const auto ended = runner.wait_any(kPollSeconds);
    if (ended && ended->id == id) return require_success(ended->result, command[0], command);
  }
}

}  // namespace cppgen::emit
