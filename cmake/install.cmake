# cmake --install: the runtime library, its headers, cppgen-run, how CMake and pkg-config find them, and the compiler.
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
configure_package_config_file(cmake/cppgenConfig.cmake.in ${CMAKE_BINARY_DIR}/cppgenConfig.cmake
                              INSTALL_DESTINATION ${cppgen_config})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cppgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cppgenConfig.cmake ${CMAKE_BINARY_DIR}/cppgenConfigVersion.cmake
        DESTINATION ${cppgen_config})

file(RELATIVE_PATH cppgen_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/cppgen-runtime.pc.in ${CMAKE_BINARY_DIR}/cppgen-runtime.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cppgen-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The compiler is one program: it carries the headers of its kernels inside and needs nothing of the above.
if(TARGET cppgen)
  install(TARGETS cppgen RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
endif()
