# cppgen_add_model(TARGET MODEL [PACKAGE DIR] [ISA NAME[,NAME]] [DIMS NAME=N ...] [SIZES NAME=N[,NAME=N] ...]
#                  [SETTINGS NAME=VALUE ...] [CUSTOM_OPERATORS FILE ...])
#
# Compiles an ONNX model while a project is built, again when the model, its external data or the compiler change. TARGET
# becomes a library of headers with <TARGET.h>, in which the struct TARGET loads and runs the package with its inputs and
# outputs by name; link it to what runs the model. The package is the directory DIR; default: TARGET.package in the
# current binary directory. The property CPPGEN_PACKAGE of TARGET names it, for installing it.
function(cppgen_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "PACKAGE;ISA" "DIMS;SIZES;SETTINGS;CUSTOM_OPERATORS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cppgen_add_model(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT target MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "cppgen_add_model(${target}): the target names a struct, so it is a letter, then letters, digits and _")
  endif()
  get_filename_component(model "${model}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(package "${CMAKE_CURRENT_BINARY_DIR}/${target}.package")
  if(ARG_PACKAGE)
    get_filename_component(package "${ARG_PACKAGE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.headers")
  file(MAKE_DIRECTORY "${folder}")

  set(options)
  if(ARG_ISA)
    list(APPEND options --isa "${ARG_ISA}")
  endif()
  foreach(dim IN LISTS ARG_DIMS)
    list(APPEND options --dim "${dim}")
  endforeach()
  foreach(sizes IN LISTS ARG_SIZES)
    list(APPEND options --sizes "${sizes}")
  endforeach()
  foreach(setting IN LISTS ARG_SETTINGS)
    list(APPEND options --set "${setting}")
  endforeach()
  if(ARG_CUSTOM_OPERATORS)
    set(custom)
    foreach(file IN LISTS ARG_CUSTOM_OPERATORS)
      get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      list(APPEND custom "${file}")
    endforeach()
    list(JOIN custom ":" custom)
    list(APPEND options --set "CUSTOM_OPS=${custom}")
  endif()
  add_custom_command(
    OUTPUT "${package}/manifest.json" "${folder}/${target}.h"
    COMMAND cppgen::cppgen compile "${model}" -o "${package}" --header "${folder}/${target}.h"
            --depfile "${folder}/${target}.d" ${options}
    DEPENDS "${model}" cppgen::cppgen
    DEPFILE "${folder}/${target}.d"
    COMMENT "Compiling the model ${target}"
    VERBATIM)
  add_custom_target(${target}_package DEPENDS "${package}/manifest.json" "${folder}/${target}.h")
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_package)
  target_include_directories(${target} INTERFACE "${folder}")
  target_link_libraries(${target} INTERFACE cppgen::runtime)
  set_target_properties(${target} PROPERTIES CPPGEN_PACKAGE "${package}")
endfunction()
