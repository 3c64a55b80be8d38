# Everything that comes from Debian's packages (apt-packages.txt).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# Of {fmt} and spdlog only the headers, and in a library of ours what these only declare, so that no program with our
# libraries needs theirs. It has all functions that other sources may call, also those that it does not call.
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
add_library(cppgen_fmt STATIC cmake/fmt_functions.cpp)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cppgen_fmt PRIVATE -O2 -fkeep-inline-functions -ffunction-sections)
else()  # which cannot keep them
  target_link_libraries(cppgen_fmt PUBLIC fmt::fmt)
endif()
foreach(library fmt::fmt spdlog::spdlog)
  target_include_directories(cppgen_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()
find_package(nlohmann_json REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # only its header is used
find_package(TBB REQUIRED)
if(CPPGEN_ONEDNN)
  # Debian's own config of oneDNN asks for OpenCL, which the CPU engine does not need.
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
  find_library(DNNL_LIBRARY dnnl REQUIRED)
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION "${DNNL_LIBRARY}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")
endif()
if(CPPGEN_XSMM)
  find_path(XSMM_INCLUDE_DIR libxsmm.h REQUIRED)
  find_library(XSMM_LIBRARY xsmm REQUIRED)
  find_library(XSMM_NO_BLAS_LIBRARY xsmmnoblas REQUIRED)  # what it would call BLAS for, which we do not use
  add_library(XSMM::xsmm UNKNOWN IMPORTED)
  set_target_properties(XSMM::xsmm PROPERTIES IMPORTED_LOCATION "${XSMM_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${XSMM_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${XSMM_NO_BLAS_LIBRARY};Threads::Threads;${CMAKE_DL_LIBS};rt;m")
endif()
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(Protobuf REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
find_library(ONNX_LIBRARY onnx REQUIRED)
find_library(ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
add_library(cppgen_onnx INTERFACE)
target_compile_definitions(cppgen_onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(cppgen_onnx INTERFACE ${ONNX_LIBRARY} ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
