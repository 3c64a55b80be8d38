# cmake --install: what the components hold is what the packages of cmake/debian.cmake hold.
#   runtime      what machines need that run compiled models: the library, its plugins but oneDNN's, cppgen-run
#   onednn       the plugins of the runtime and of the program with oneDNN, which is as large as everything else
#   compiler     the program, and the same as a library; both carry the headers of their kernels inside
#   development  headers, and how CMake, pkg-config and linkers find the libraries
#   python       the Python package, where CPPGEN_PYTHON_FOLDER says
include(CMakePackageConfigHelpers)

set(cppgen_include "${CMAKE_INSTALL_INCLUDEDIR}/cppgen")
set(cppgen_config "${CMAKE_INSTALL_LIBDIR}/cmake/cppgen")

function(cppgen_install_library target export component)
  install(TARGETS ${target} EXPORT ${export} INCLUDES DESTINATION ${cppgen_include}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT development)
  install(EXPORT ${export} NAMESPACE cppgen:: DESTINATION ${cppgen_config} COMPONENT development)
endfunction()
cppgen_install_library(cppgen_runtime cppgenTargets runtime)
set(cppgen_plugins_folder "${CMAKE_INSTALL_LIBDIR}/cppgen")  # where runtime/plugins/plugin_file.cpp looks for them
install(TARGETS cppgen_plugin_regex LIBRARY DESTINATION ${cppgen_plugins_folder} COMPONENT runtime)
if(CPPGEN_XSMM)
  install(TARGETS cppgen_plugin_xsmm LIBRARY DESTINATION ${cppgen_plugins_folder} COMPONENT runtime)
endif()
if(CPPGEN_ONEDNN)
  install(TARGETS cppgen_plugin_onednn cppgen_plugin_bench_onednn
          LIBRARY DESTINATION ${cppgen_plugins_folder} COMPONENT onednn)
endif()
install(TARGETS cppgen-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
cppgen_install_library(cppgen_compiler cppgenCompilerTargets compiler)
install(TARGETS cppgen_onnxruntime_provider LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
install(TARGETS cppgen EXPORT cppgenCompilerTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)

install(FILES runtime/session/cppgen.h runtime/session/cppgen.hpp runtime/custom/cppgen_custom.h
        cppgen/library/cppgen_compiler.h cppgen/library/cppgen_compiler.hpp
        DESTINATION ${cppgen_include} COMPONENT development)
configure_package_config_file(cmake/cppgenConfig.cmake.in ${PROJECT_BINARY_DIR}/cppgenConfig.cmake
                              INSTALL_DESTINATION ${cppgen_config} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cppgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cppgenConfig.cmake ${PROJECT_BINARY_DIR}/cppgenConfigVersion.cmake
        cmake/cppgenAddModel.cmake DESTINATION ${cppgen_config} COMPONENT development)
file(RELATIVE_PATH cppgen_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name runtime compiler)
  configure_file(cmake/cppgen-${name}.pc.in ${PROJECT_BINARY_DIR}/cppgen-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cppgen-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

set(help "${PROJECT_BINARY_DIR}/help")
set(share ${CMAKE_INSTALL_DATADIR})
install(FILES ${help}/cppgen-run.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${help}/cppgen.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT compiler)
install(FILES ${help}/cppgen DESTINATION ${share}/bash-completion/completions COMPONENT compiler)
install(FILES ${help}/_cppgen DESTINATION ${share}/zsh/vendor-completions COMPONENT compiler)
install(FILES ${help}/cppgen.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT compiler)

include(cmake/debian.cmake)
