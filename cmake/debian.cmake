# cpack --config BUILD/CPackConfig.cmake: packages for apt, and with -G TGZ an archive of everything. Configure with the
# preset `package`, whose paths are those of Debian. Dependencies are found by dpkg-shlibdeps, so packages fit the release
# that they are built on.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cppgen)
set(CPACK_PACKAGE_VENDOR "cppgen")
set(CPACK_PACKAGE_CONTACT "The cppgen developers <${CPPGEN_PACKAGE_CONTACT}>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime compiler development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(cppgen_runtime_package libcppgen-runtime${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(cppgen_same "(= ${PROJECT_VERSION})")

# The changelog that Debian's policy asks for, compressed.
string(TIMESTAMP cppgen_build_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/debian/changelog COMMAND_ERROR_IS_FATAL ANY)

# cppgen_package(COMPONENT NAME SECTION SUMMARY TEXT) describes a package, which also has its licence and changelog.
function(cppgen_package component name section summary text)
  string(TOUPPER ${component} id)
  set(CPACK_DEBIAN_${id}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${id}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endfunction()
cppgen_package(runtime ${cppgen_runtime_package} libs "runs neural networks that cppgen compiled"
               "The library with a C interface, and the program cppgen-run. No compiler is\nneeded.")
if(CPPGEN_ONEDNN)
  list(APPEND CPACK_COMPONENTS_ALL onednn)
  cppgen_package(onednn libcppgen-onednn libs "oneDNN for neural networks that cppgen compiled"
                 "Plugins of the runtime, for packages whose products oneDNN computes, and of\nthe program cppgen, for comparisons with oneDNN.")
endif()
cppgen_package(compiler cppgen science "compiler of neural networks (ONNX) for CPUs"
               "The program cppgen, and the compiler as a library. Kernels are compiled by g++\nor clang.")
cppgen_package(development libcppgen-dev libdevel "headers and CMake files of cppgen"
               "For programs that run compiled models, or compile models.")
foreach(component RUNTIME COMPILER)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")
endforeach()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_PROVIDES "libcppgen-runtime${PROJECT_VERSION_MAJOR}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libcppgen-onednn ${cppgen_same}")
set(CPACK_DEBIAN_ONEDNN_PACKAGE_DEPENDS "${cppgen_runtime_package} ${cppgen_same}")
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "${cppgen_runtime_package} ${cppgen_same}, g++ | clang")
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS "libcppgen-onednn ${cppgen_same}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${cppgen_runtime_package} ${cppgen_same}, cppgen ${cppgen_same}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_GENERATE_SHLIBS OFF)
if(CPPGEN_PYTHON AND CPPGEN_PYTHON_FOLDER)
  list(APPEND CPACK_COMPONENTS_ALL python)
  cppgen_package(python python3-cppgen python "compiles and runs neural networks (ONNX), for Python"
                 "The module cppgen, also in place of onnxruntime and as a backend of\ntorch.compile.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "${cppgen_runtime_package} ${cppgen_same}, cppgen ${cppgen_same}, python3 (>= 3.11), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
      "${PROJECT_SOURCE_DIR}/cmake/python3/postinst;${PROJECT_SOURCE_DIR}/cmake/python3/prerm")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_GENERATE_SHLIBS OFF)
endif()
include(CPack)
