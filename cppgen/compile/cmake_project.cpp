#include "cppgen/compile/cmake_project.h"

#include <fmt/format.h>

#include <filesystem>

#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

// Sources have the name that they have when cppgen compiles them, because objects contain it.
constexpr const char* kLists =
    R"cmake(# The kernels of the package in the folder above. This builds the same objects again and installs them
# there; cppgen then adds their seals and lists their hashes:
#   cmake -S . -B build && cmake --build build && cmake --install build && cppgen seal ..
# They were compiled with {0}
cmake_minimum_required(VERSION 3.16)
if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{{CXX}} AND EXISTS {1})
  set(CMAKE_CXX_COMPILER {1})
endif()
project(cppgen_kernels LANGUAGES CXX)

# Each unit lists all of its options: CMake adds none.
set(CMAKE_BUILD_TYPE "")
set(CMAKE_CXX_FLAGS "")
set(CMAKE_MODULE_LINKER_FLAGS "")
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  get_filename_component(package "${{CMAKE_CURRENT_SOURCE_DIR}}" DIRECTORY)
  set(CMAKE_INSTALL_PREFIX "${{package}}" CACHE PATH "The package" FORCE)
endif()

function(add_kernels name options)
  add_library(${{name}} MODULE "${{name}}/kernel.cpp")
  set_target_properties(${{name}} PROPERTIES PREFIX "" SUFFIX ".so" DEFINE_SYMBOL "")
  target_include_directories(${{name}} PRIVATE include)
  target_compile_options(${{name}} PRIVATE "SHELL:${{options}}")
  target_link_options(${{name}} PRIVATE "SHELL:${{options}}")
  if(EXISTS "${{CMAKE_CURRENT_SOURCE_DIR}}/include/{2}")
    target_link_libraries(${{name}} PRIVATE "${{CMAKE_CURRENT_SOURCE_DIR}}/include/{2}")
  endif()
  install(TARGETS ${{name}} LIBRARY DESTINATION .)
endfunction()

)cmake";

// Text as one argument, in which nothing is special.
std::string bracketed(const std::string& text) {
  std::string equals;
  while (text.find("]" + equals + "]") != text.npos || text.ends_with("]" + equals)) equals += "=";
  return fmt::format("[{0}[{1}]{0}]", equals, text);
}

// The compiler, the last program in front of the leading options.
std::string compiler_of(const std::vector<std::string>& command) {
  std::string compiler = command.at(0);
  for (const std::string& word : command) {
    if (word.starts_with('-')) break;
    compiler = word;
  }
  return compiler;
}

// Those behind the compiler, then the flags.
std::string options_of(const KernelBuilder::Command& command) {
  std::vector<std::string> options;
  bool leading = false;
  for (const std::string& word : command.compiler) {
    leading |= word.starts_with('-');
    if (leading) options.push_back(word);
  }
  options.insert(options.end(), command.flags.begin(), command.flags.end());
  return join_command(options);
}

void copy_headers(const std::string& from, const std::string& to) {
  std::error_code error;
  for (const char* folder : {"/vec", "/runtime/abi"}) {
    fs::create_directories(to + folder, error);
    if (!error) fs::copy(from + folder, to + folder, fs::copy_options::recursive, error);
    if (error) user_error("cannot copy kernel headers from '{}{}' to '{}': {}", from, folder, to, error.message());
  }
}

}  // namespace

CMakeProject make_cmake_project(const std::vector<CompileJob>& units, KernelBuilder& builder,
                                const std::string& include_dir) {
  const std::vector<std::string>& command = builder.toolchain().command;
  CMakeProject project{fmt::format(kLists, join_command(command), bracketed(compiler_of(command)), kTilesArchive),
                       units, include_dir};
  for (const CompileJob& unit : units)
    project.lists += fmt::format("add_kernels({} {})\n", unit.name, bracketed(options_of(builder.command_of(unit))));
  return project;
}

void write_cmake_project(const CMakeProject& project, const std::string& directory) {
  write_project_file(directory + "/CMakeLists.txt", project.lists);
  for (const CompileJob& unit : project.units)
    write_project_file(directory + "/" + unit.name + "/" + CompilePool::kSource, unit.source);
  write_kernel_headers(project.include_dir, directory + "/include");
  if (project.include_dir.empty() && !embedded_tiles().empty())
    write_project_file(fmt::format("{}/include/{}", directory, kTilesArchive), std::string(embedded_tiles()));
}

void write_project_file(const std::string& path, const std::string& content) {
  int error = make_directories(parent_directory(path));
  if (!error) error = write_file(path, content);
  if (error) user_error("{}: cannot be written: {}", path, error_text(error));
}

void write_kernel_headers(const std::string& include_dir, const std::string& directory) {
  if (!include_dir.empty()) return copy_headers(include_dir, directory);
  if (const int error = make_directories(directory))
    user_error("{}: cannot be created: {}", directory, error_text(error));
  write_embedded_headers(directory);
}

}  // namespace cppgen
