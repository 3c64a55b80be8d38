# cmake --install: the libraries, their headers, the programs, and how CMake and pkg-config find them.
include(CMakePackageConfigHelpers)

set(cppgen_include "${CMAKE_INSTALL_INCLUDEDIR}/cppgen")
set(cppgen_config "${CMAKE_INSTALL_LIBDIR}/cmake/cppgen")

# The component `runtime` is all that a machine needs that runs compiled models.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
install(TARGETS cppgen_runtime EXPORT cppgenTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${cppgen_include})
install(TARGETS cppgen-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES runtime/session/cppgen.h runtime/session/cppgen.hpp runtime/custom/cppgen_custom.h
        DESTINATION ${cppgen_include})
install(TARGETS cppgen_plugin_onednn cppgen_plugin_xsmm cppgen_plugin_regex LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(EXPORT cppgenTargets NAMESPACE cppgen:: DESTINATION ${cppgen_config})
configure_package_config_file(cmake/cppgenConfig.cmake.in ${PROJECT_BINARY_DIR}/cppgenConfig.cmake
                              INSTALL_DESTINATION ${cppgen_config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cppgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cppgenConfig.cmake ${PROJECT_BINARY_DIR}/cppgenConfigVersion.cmake
        DESTINATION ${cppgen_config})

file(RELATIVE_PATH cppgen_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/cppgen-runtime.pc.in ${PROJECT_BINARY_DIR}/cppgen-runtime.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cppgen-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The component `compiler` is the program, which needs nothing of the above, and the same as a library, whose packages
# the runtime runs. Both carry the headers of their kernels inside.
install(TARGETS cppgen cppgen_compiler EXPORT cppgenCompilerTargets COMPONENT compiler
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${cppgen_include})
install(FILES cppgen/library/cppgen_compiler.h cppgen/library/cppgen_compiler.hpp DESTINATION ${cppgen_include}
        COMPONENT compiler)
install(EXPORT cppgenCompilerTargets NAMESPACE cppgen:: DESTINATION ${cppgen_config} COMPONENT compiler)
install(FILES cmake/cppgenAddModel.cmake DESTINATION ${cppgen_config} COMPONENT compiler)
configure_file(cmake/cppgen-compiler.pc.in ${PROJECT_BINARY_DIR}/cppgen-compiler.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cppgen-compiler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT compiler)
