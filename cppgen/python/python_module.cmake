# The Python package `cppgen`: the extension module, on CPython's stable ABI, and the modules in the folder cppgen/. In
# the build directory, python/cppgen is the package with links to its sources, so that PYTHONPATH=python imports it.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

set(cppgen_python_sources binding buffers cancel common dtypes interrupt load log module package request run session state values)
list(TRANSFORM cppgen_python_sources PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
list(TRANSFORM cppgen_python_sources APPEND ".c")
set(cppgen_python_package "${PROJECT_BINARY_DIR}/python/cppgen")

add_library(cppgen_python MODULE ${cppgen_python_sources})
# The headers alone: one file is for all versions, so it must not name a library of one.
target_include_directories(cppgen_python SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
target_link_libraries(cppgen_python PRIVATE cppgen_compiler cppgen_runtime)
target_compile_options(cppgen_python PRIVATE -Wall -Wextra)
if(CPPGEN_SANITIZE)
  target_compile_options(cppgen_python PRIVATE -fsanitize=${CPPGEN_SANITIZE})
endif()
set_target_properties(cppgen_python PROPERTIES OUTPUT_NAME _cppgen PREFIX "" SUFFIX ".abi3.so" C_STANDARD 11
  LIBRARY_OUTPUT_DIRECTORY "${cppgen_python_package}" C_VISIBILITY_PRESET hidden)

file(GLOB_RECURSE cppgen_python_modules CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_LIST_DIR}/cppgen"
     "${CMAKE_CURRENT_LIST_DIR}/cppgen/*.py" "${CMAKE_CURRENT_LIST_DIR}/cppgen/*.pyi"
     "${CMAKE_CURRENT_LIST_DIR}/cppgen/py.typed")
foreach(module IN LISTS cppgen_python_modules)
  get_filename_component(folder "${cppgen_python_package}/${module}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${CMAKE_CURRENT_LIST_DIR}/cppgen/${module}" "${cppgen_python_package}/${module}" SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY "${cppgen_python_package}/bin")
file(CREATE_LINK "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cppgen" "${cppgen_python_package}/bin/cppgen" SYMBOLIC)
add_dependencies(cppgen_python cppgen)

# In a wheel the package has all that it needs: the program in cppgen/bin, libraries and plugins in cppgen/lib. A wheel
# has no links, so each library is one file, of the name that others ask for.
if(SKBUILD)
  set(cppgen_minor ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(plugins cppgen_plugin_xsmm cppgen_plugin_regex)
  if(CPPGEN_ONEDNN)
    list(APPEND plugins cppgen_plugin_onednn cppgen_plugin_bench_onednn)
  endif()
  set_target_properties(cppgen_runtime cppgen_compiler PROPERTIES VERSION ${cppgen_minor})
  set_target_properties(cppgen_runtime cppgen_compiler ${plugins} PROPERTIES INSTALL_RPATH "$ORIGIN")
  set_target_properties(cppgen_python PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
  install(TARGETS cppgen_python LIBRARY DESTINATION cppgen COMPONENT python)
  install(TARGETS cppgen RUNTIME DESTINATION cppgen/bin COMPONENT python)
  install(TARGETS cppgen_runtime cppgen_compiler ${plugins}
          LIBRARY DESTINATION cppgen/lib NAMELINK_SKIP COMPONENT python)
endif()

# Where the libraries and the program are installed, too, the package contains only a link to the program.
if(CPPGEN_PYTHON_FOLDER AND CPPGEN_INSTALL AND NOT SKBUILD)
  set(folder "${CPPGEN_PYTHON_FOLDER}/cppgen")
  install(TARGETS cppgen_python LIBRARY DESTINATION ${folder} COMPONENT python)
  install(DIRECTORY "${CMAKE_CURRENT_LIST_DIR}/cppgen/" DESTINATION ${folder} COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  file(RELATIVE_PATH program "/${folder}/bin" "/${CMAKE_INSTALL_BINDIR}/cppgen")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python_link")
  file(CREATE_LINK "${program}" "${PROJECT_BINARY_DIR}/python_link/cppgen" SYMBOLIC)
  install(FILES "${PROJECT_BINARY_DIR}/python_link/cppgen" DESTINATION ${folder}/bin COMPONENT python)
  set(metadata "${PROJECT_BINARY_DIR}/cppgen-${PROJECT_VERSION}.dist-info")  # for pip, and for PyTorch to find its backend
  configure_file("${CMAKE_CURRENT_LIST_DIR}/METADATA.in" "${metadata}/METADATA" @ONLY)
  file(STRINGS "${PROJECT_SOURCE_DIR}/pyproject.toml" backend REGEX "\"cppgen.torch:")
  string(REPLACE "\"" "" backend "${backend}")
  file(CONFIGURE OUTPUT "${metadata}/entry_points.txt" CONTENT "[torch_dynamo_backends]\n${backend}\n")
  install(DIRECTORY "${metadata}" DESTINATION ${CPPGEN_PYTHON_FOLDER} COMPONENT python)
endif()
