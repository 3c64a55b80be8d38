#include "cppgen/emit/project.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/compile/cmake_project.h"
#include "cppgen/compile/compile_flags.h"
#include "cppgen/support/hashing.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/version.h"

namespace cppgen::emit {
namespace {

constexpr std::string_view kSupport = "support/";  // the folder of what is the same for all models
std::vector<std::string> runtime_sources() {
  return {fmt::format("isa/arch/{}/features.cpp", arch::kName), "runtime/linked/crew.cpp", "runtime/linked/model.cpp"};
}
constexpr std::string_view kProgramSources[] = {"runtime/linked/npy_file.cpp", "runtime/linked/program.cpp"};
constexpr std::string_view kLibrarySteps = "runtime/linked/library_step.cpp";
constexpr std::string_view kLongSums = "runtime/contraction/long_sums.cpp";

// Each model has these functions in a namespace of its own, so that programs link models of several versions.
std::string own_namespace(const std::string& model) { return fmt::format("-Dcppgen={}_cppgen", model); }

// The options with which cppgen's own sources are compiled for an instruction set.
std::vector<std::string> runtime_flags(const std::string& model, std::string_view isa) {
  std::vector<std::string> flags{"-std=gnu++20",
                                 "-O2",
                                 "-fPIC",
                                 "-pthread",
                                 "-fno-math-errno",
                                 "-ffp-contract=off",
                                 "-fvisibility=hidden",
                                 "-fno-exceptions",
                                 "-fno-rtti",
                                 "-fno-threadsafe-statics",
                                 "-fno-asynchronous-unwind-tables",
                                 "-fno-stack-protector",
                                 "-U_FORTIFY_SOURCE",
                                 "-ffunction-sections",
                                 "-fdata-sections",
                                 "-w"};
  for (const std::string_view flag : tile_flags(isa))
    if (flag.starts_with("-m")) flags.emplace_back(flag);
  flags.push_back(own_namespace(model));
  for (const auto& [from, to] : library_names(model)) flags.push_back(fmt::format("-D{}={}", from, to));
  return flags;
}

class ProjectMaker {
 public:
  ProjectMaker(const ModelNames& names, const rt::Plan& plan, const ModelOptions& options, KernelBuilder& builder)
      : names_(names), plan_(plan), options_(options), builder_(builder) {}

  Project run(const std::vector<CompileJob>& kernels) {
    project_.name = names_.model;
    std::vector<std::string_view> texts;
    for (const CompileJob& job : kernels) texts.push_back(job.source);
    const TileUses tiles = tiles_in(texts, *find_isa(options_.isa));
    project_.files.push_back({names_.model + ".h", header_text(names_, plan_, options_)});
    add(project_.units, names_.model + ".cpp", functions_text(names_, plan_, options_, tiles), scalar());
    for (const CompileJob& job : kernels) add_kernels(job);
    if (plan_.weights_bytes > 0) add_weights();
    for (const std::string& source : runtime_sources()) add_support(project_.units, source, scalar());
    project_.needs_library = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                         [](const rt::Step& step) { return step.kind == rt::StepKind::library; });
    if (project_.needs_library) add_support(project_.units, kLibrarySteps, scalar());
    add_tiles(tiles);
    add(project_.program, "main.cpp", program_text(names_, plan_), scalar());
    for (const std::string_view source : kProgramSources) add_support(project_.program, source, scalar());
    add_headers();
    return std::move(project_);
  }

 private:
  const ModelNames& names_;
  const rt::Plan& plan_;
  const ModelOptions& options_;
  KernelBuilder& builder_;
  Project project_;

  std::vector<std::string> scalar() const { return runtime_flags(names_.model, all_isas().front().name); }

  void add(std::vector<Project::Unit>& units, std::string path, std::string text, std::vector<std::string> flags) {
    project_.files.push_back({path, std::move(text)});
    units.push_back({std::move(path), std::move(flags)});
  }

  void add_support(std::vector<Project::Unit>& units, std::string_view path, std::vector<std::string> flags) {
    const std::string to = std::string(kSupport) + std::string(path);
    if (std::any_of(units.begin(), units.end(), [&](const Project::Unit& unit) { return unit.path == to; })) return;
    add(units, to, std::string(linked_source(path).content), std::move(flags));
  }

  // Kernels of several models may have the same names.
  void add_kernels(const CompileJob& job) {
    std::string names;
    for (const std::string& symbol : job.expected_symbols)
      names += fmt::format("#define {} {}\n", symbol, names_.kernel(symbol));
    std::vector<std::string> flags = without_linker_flags(builder_.command_of(job).flags);
    flags.insert(flags.end(), {own_namespace(names_.model), "-DCPPGEN_LINKED"});
    add(project_.units, fmt::format("kernels/{}.cpp", job.name), names + "\n" + job.source, std::move(flags));
  }

  void add_tiles(const TileUses& tiles) {
    for (const TileUse& use : tiles.formats)
      add_support(project_.units, use.source, runtime_flags(names_.model, use.isa));
    if (!tiles.strided_isa.empty())
      add_support(project_.units, tiles.strided_source, runtime_flags(names_.model, tiles.strided_isa));
    if (!tiles.formats.empty() || !tiles.strided_isa.empty()) add_support(project_.units, kLongSums, scalar());
  }

  void add_weights() {
    add(project_.units, "weights.cpp", weights_text(), scalar());
    project_.units.back().has_weights = true;
  }

  std::string weights_text() const {
    return fmt::format(
        "// The constants of the model, as they are in weights.bin.\n"
        "asm(R\"(\n"
        "  .section .rodata.{0}_weights, \"a\"\n"
        "  .globl {0}_weights\n"
        "  .hidden {0}_weights\n"
        "  .balign 64\n"
        "{0}_weights:\n"
        "  .incbin \"weights.bin\"\n"
        "  .text\n"
        ")\");\n",
        names_.model);
  }

  // Those of kernels are written by write_project.
  void add_headers() {
    std::vector<std::string_view> texts;
    for (const Project::File& file : project_.files) texts.push_back(file.text);
    for (const LinkedSource* header : included_sources(texts))
      project_.files.push_back({std::string(kSupport) + std::string(header->path), std::string(header->content)});
    Hasher hasher;
    hasher.field("kernels", builder_.headers_hash());
    for (const Project::File& file : project_.files)
      if (!file.path.ends_with(".cpp")) hasher.field(file.path, file.text);
    project_.headers_hash = hasher.hex();
  }
};

constexpr const char* kLists =
    R"cmake(# The model {0}, written by cppgen {1}: the library {0} with the header {0}.h, and the program {0}_run.
cmake_minimum_required(VERSION 3.16)
project({0} LANGUAGES C CXX)
find_package(Threads REQUIRED)

# Each source has all options that it needs. CMake's come first, so that these count.
function(add_unit target source)
  target_sources(${{target}} PRIVATE ${{source}})
  set_source_files_properties(${{source}} PROPERTIES COMPILE_OPTIONS "${{ARGN}}")
endfunction()

add_library({0} STATIC)
target_include_directories({0} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}} PRIVATE support)
target_link_libraries({0} PUBLIC Threads::Threads m)
add_executable({0}_run)
target_include_directories({0}_run PRIVATE support)
target_link_libraries({0}_run PRIVATE {0})
set_source_files_properties(weights.cpp PROPERTIES OBJECT_DEPENDS ${{CMAKE_CURRENT_SOURCE_DIR}}/weights.bin)

)cmake";

std::string units_text(const std::string& target, const std::vector<Project::Unit>& units) {
  std::string text;
  for (const Project::Unit& unit : units)
    text += fmt::format("add_unit({} {}\n  {})\n", target, unit.path, fmt::join(unit.flags, " "));
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> library_names(const std::string& model) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const char* name : {"create", "destroy", "bind", "release", "run"})
    names.emplace_back(fmt::format("cppgen_library_{}", name), fmt::format("{}_library_{}", model, name));
  return names;
}

Project make_project(const ModelNames& names, const rt::Plan& plan, const ModelOptions& options,
                     const std::vector<CompileJob>& kernels, KernelBuilder& builder) {
  return ProjectMaker(names, plan, options, builder).run(kernels);
}

std::string cmake_lists(const Project& project) {
  const std::string object = fmt::format("target_sources({} PRIVATE {})\n", project.name, kLibraryObject);
  return fmt::format(fmt::runtime(kLists), project.name, rt::kVersion) + (project.needs_library ? object : "") +
         units_text(project.name, project.units) + "\n" + units_text(project.name + "_run", project.program);
}

void write_project(const Project& project, const std::string& include_dir, const std::string& directory) {
  write_kernel_headers(include_dir, directory + "/" + std::string(kSupport.substr(0, kSupport.size() - 1)));
  for (const Project::File& file : project.files) write_project_file(directory + "/" + file.path, file.text);
}

}  // namespace cppgen::emit
