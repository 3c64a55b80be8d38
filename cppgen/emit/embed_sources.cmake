# The sources of this project that emitted models contain (emit/linked_sources.h): threads, the tiles of each instruction
# set, and what they include, except for the headers of kernels.
set(patterns)
foreach(folder runtime/linked runtime/contraction isa/arch isa/arch/${cppgen_architecture})
  list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.h" "${PROJECT_SOURCE_DIR}/${folder}/*.def")
endforeach()
file(GLOB linked CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${patterns} "${PROJECT_SOURCE_DIR}/runtime/linked/*.cpp"
     "${PROJECT_SOURCE_DIR}/runtime/contraction/*tiles_*.cpp")
list(FILTER linked EXCLUDE REGEX "emulated|onednn|amx_support|tile_unit_check")
foreach(source IN LISTS foreign_tiles)
  list(REMOVE_ITEM linked "runtime/contraction/${source}")
endforeach()
cppgen_embed_files(cppgen_emit cppgen/emit/linked_sources.h cppgen::emit::linked_sources cppgen::emit::LinkedSource
                   FILES ${linked} isa/cpu_features.h isa/arch/${cppgen_architecture}/features.cpp runtime/contraction/long_sums.cpp
                         runtime/library/chunks.h runtime/linked_library/linked_calls.h)
