# A room is one folder of the source tree, with the folders in it, and one static library of the same name.
#
#   cppgen_room(cppgen/ir DEPS cppgen/support LINK cppgen_fmt HEADERS cppgen_headers_of_rooms)
#
# All includes are relative to the root, yet a room sees only its own headers and those of the rooms in DEPS (and
# theirs): each room is published through an include directory that holds nothing but a link to that one folder. An
# include in a wrong direction therefore fails to build.

# Functions have sections of their own, so that the linker can leave out those that nothing calls (cppgen_small).
add_library(cppgen_options INTERFACE)
target_compile_options(cppgen_options INTERFACE -Wall -Wextra -Werror=return-type -Wno-psabi -Wno-restrict -fno-math-errno
                                                -ffp-contract=off -pthread -ffunction-sections)
if(CPPGEN_SANITIZE)
  target_compile_options(cppgen_options INTERFACE -fsanitize=${CPPGEN_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(cppgen_options INTERFACE -fsanitize=${CPPGEN_SANITIZE})
endif()

# Compiles the sources of a target in groups. Most of the time of a source goes to templates of the standard library
# that its neighbours instantiate, too, so a group of eight takes a third of their time. Names in unnamed namespaces of
# one room therefore differ. Sources with options of their own are compiled alone.
option(CPPGEN_UNITY "Compile several sources at once" ON)
function(cppgen_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CPPGEN_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  # In a group, g++ takes the unnamed namespaces of sources for those of headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

function(cppgen_room_target out path)
  string(REPLACE "/" "_" name "${path}")
  string(REGEX REPLACE "^cppgen_" "" name "${name}")
  set(${out} "cppgen_${name}" PARENT_SCOPE)
endfunction()

# Publishes `path` alone below an include directory of its own and returns that directory.
function(cppgen_room_view out path)
  string(REPLACE "/" "_" name "${path}")
  set(view "${PROJECT_BINARY_DIR}/rooms/${name}")
  get_filename_component(parent "${view}/${path}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${path}" "${view}/${path}" SYMBOLIC)
  set(${out} "${view}" PARENT_SCOPE)
endfunction()

function(cppgen_room path)
  cmake_parse_arguments(ARG "" "HEADERS" "DEPS;LINK;PRIVATE_LINK;EXCLUDE;SOURCES" ${ARGN})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS cppgen_headers_of_rooms)
  endif()
  cppgen_room_target(target "${path}")
  cppgen_room_view(view "${path}")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${path}/*.cpp" "${PROJECT_SOURCE_DIR}/${path}/*/*.cpp")
  list(APPEND sources ${ARG_SOURCES})
  foreach(name IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/${path}/${name}")
  endforeach()
  set(deps)
  foreach(dep IN LISTS ARG_DEPS)
    cppgen_room_target(dep_target "${dep}")
    list(APPEND deps ${dep_target})
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${view}>")
    target_link_libraries(${target} PUBLIC ${deps} ${ARG_LINK} PRIVATE $<BUILD_INTERFACE:cppgen_options> ${ARG_PRIVATE_LINK})
    target_precompile_headers(${target} REUSE_FROM ${ARG_HEADERS})
    cppgen_unite(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${view}>")
    target_link_libraries(${target} INTERFACE ${deps} ${ARG_LINK} ${ARG_PRIVATE_LINK})
  endif()
endfunction()

# Options for linking shared libraries: without what nothing calls, and without its names.
set(cppgen_small "-Wl,--gc-sections" "$<$<CONFIG:Release>:-s>")
