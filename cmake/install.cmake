# cmake --install: the runtime library, its headers, cppgen-run, how CMake and pkg-config find them, and the compiler.
include(CMakePackageConfigHelpers)

set(cppgen_include "${CMAKE_INSTALL_INCLUDEDIR}/cppgen")  # includes are written as in the source tree, below this
set(cppgen_config "${CMAKE_INSTALL_LIBDIR}/cmake/cppgen")

# The component `runtime` is all that a machine needs that runs compiled models.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
install(TARGETS cppgen_runtime EXPORT cppgenTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${cppgen_include})
install(TARGETS cppgen-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES runtime/session/cppgen.h runtime/custom/cppgen_custom.h DESTINATION ${cppgen_include})
foreach(header base/dtype.h base/dtypes.def base/value_kind.h base/errors.h base/log.h base/settings.h base/settings.def abi/abi.h
        abi/math_functions.def plan/module.h plan/plan.h memory/mapping.h values/tensor.h values/value.h
        values/npy.h values/npy_strings.h values/random_inputs.h values/compare.h values/test_case.h package/executable.h
        package/package.h package/version.h session/cppgen.h session/profile.h session/session.h
        session/session_options.h session/trace_slice.h session/verify.h)
  get_filename_component(folder runtime/${header} DIRECTORY)
  install(FILES runtime/${header} DESTINATION ${cppgen_include}/${folder})
endforeach()

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
