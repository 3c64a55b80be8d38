# Headers that most sources include are parsed once, instead of in every source: half of a small source's time. Sources
# still include what they use: clang-tidy reads them without these headers, and -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
# builds without them (a compiler cache then shares objects between clones).
#
# g++ asks for the same macros, instruction set and position independence where such headers are made and where they are
# read, so rooms (-fPIC) and programs (-fPIE) have their own, and sources with flags of their own have none.

# A compiler cache shares objects between clones only without them.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND NOT DEFINED CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

set(cppgen_common_headers
    <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <numeric> <optional> <set>
    <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# cppgen_make_precompiled(NAME HEADERS ... LINK ... ROOMS ...): a target of which others take their precompiled headers.
# ROOMS: those whose headers are among them.
function(cppgen_make_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK;ROOMS" ${ARGN})
  set(source "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Has nothing but precompiled headers.\n")
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE cppgen_options cppgen_fmt ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  foreach(room IN LISTS ARG_ROOMS)
    cppgen_room_view(view ${room})
    target_include_directories(${name} PRIVATE "${view}")
  endforeach()
endfunction()

# Most rooms take the first. Others name one of the rest, which costs three seconds to make and saves a source 0.7
# (nlohmann's header) or 0.2 (that of operators).
cppgen_make_precompiled(cppgen_headers_of_rooms HEADERS ${cppgen_common_headers})
cppgen_make_precompiled(cppgen_headers_with_json HEADERS ${cppgen_common_headers} <nlohmann/json.hpp>)
cppgen_make_precompiled(cppgen_headers_with_operators HEADERS ${cppgen_common_headers} <cppgen/ops/op.h>
                        ROOMS cppgen/ops cppgen/graph cppgen/ir cppgen/support runtime/plan runtime/base)
if(CPPGEN_TESTS)
  find_package(GTest REQUIRED)
  cppgen_make_precompiled(cppgen_headers_of_programs HEADERS ${cppgen_common_headers} <gtest/gtest.h> LINK GTest::gtest)
  set_target_properties(cppgen_headers_of_programs PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # Debian's g++ makes -fPIE of it
endif()

# Gives programs of the tests the headers that are parsed already.
function(cppgen_precompiled)
  foreach(target IN LISTS ARGN)
    if(TARGET cppgen_headers_of_programs)
      target_precompile_headers(${target} REUSE_FROM cppgen_headers_of_programs)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # of libraries for programs alone
      target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)  # as where the headers were parsed
    endif()
  endforeach()
endfunction()

# cppgen_source_options(SOURCE ... OPTIONS ...): sources with compiler flags of their own.
function(cppgen_source_options)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  set_source_files_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS}"
                                                                   SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# cppgen_optimize_less(TARGET ...): targets whose code takes milliseconds, while the compilers that it starts take
# seconds. Settings of the processor that -O2 implies must be the same as where headers were parsed.
include(CheckCXXCompilerFlag)
set(cppgen_less_optimized -O1)
foreach(setting vzeroupper unroll-only-small-loops)
  check_cxx_compiler_flag(-m${setting} CPPGEN_HAS_${setting})
  if(CPPGEN_HAS_${setting})
    list(APPEND cppgen_less_optimized -m${setting})
  endif()
endforeach()
function(cppgen_optimize_less)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${cppgen_less_optimized}>")
  endforeach()
endfunction()
