# The headers that emitted kernels include, and the archive that these are linked with, so that an installed compiler needs
# no include folder and the kernel key covers their exact content.
set(patterns)
foreach(folder vec runtime/abi)
  foreach(extension h def inc)
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.${extension}")
  endforeach()
endforeach()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${patterns})
cppgen_embed_files(cppgen_compile cppgen/compile/vec_headers.h cppgen::embedded_headers cppgen::EmbeddedFile
                   FILES ${headers})
cppgen_embed_binary(cppgen_compile cppgen_kernel_tiles "${cppgen_tiles_archive}")
cppgen_embed_binary(cppgen_compile cppgen_kernel_tiles_sha256 "${cppgen_tiles_archive}.sha256")
add_dependencies(cppgen_compile cppgen_finished_tiles)
set_property(SOURCE compile/source_tree.cpp PROPERTY COMPILE_DEFINITIONS "CPPGEN_SOURCE_TREE=\"${PROJECT_SOURCE_DIR}\"")
