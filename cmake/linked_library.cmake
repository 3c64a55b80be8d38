# One object file with the functions of runtime/library for models that are linked into programs, and what they need of
# the library of C++. It is a part of the compiler, so that an installation needs no file for it. Without the static
# library of C++ or GNU's linker, and under sanitizers, the compiler has none, and refuses models that call these functions.
set(linked_library "${PROJECT_BINARY_DIR}/generated/linked_library.o")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE static_library
                OUTPUT_STRIP_TRAILING_WHITESPACE)
set(cppgen_linked_functions cppgen_library_create cppgen_library_destroy cppgen_library_bind cppgen_library_release cppgen_library_run)
execute_process(COMMAND ${CMAKE_LINKER} --help OUTPUT_VARIABLE linker_options ERROR_QUIET)
if(CPPGEN_SANITIZE OR NOT IS_ABSOLUTE "${static_library}" OR NOT CMAKE_OBJCOPY
   OR NOT linker_options MATCHES "force-group-allocation")
  message(STATUS "compile --emit refuses library functions: they need libstdc++.a, GNU ld, objcopy, and no sanitizer")
  file(WRITE "${linked_library}" "")
else()
  set(roots)
  set(kept)
  foreach(name IN LISTS cppgen_linked_functions)
    list(APPEND roots -u ${name})
    list(APPEND kept --keep-global-symbol=${name})
  endforeach()
  add_custom_command(
    OUTPUT "${linked_library}"
    COMMAND ${CMAKE_LINKER} -r -z muldefs --gc-sections --force-group-allocation ${roots} -o "${linked_library}"
            $<TARGET_FILE:cppgen_runtime_linked_library> --start-group $<TARGET_FILE:cppgen_runtime_library>
            $<TARGET_FILE:cppgen_runtime_plan> $<TARGET_FILE:cppgen_runtime_base> $<TARGET_FILE:cppgen_isa>
            $<TARGET_FILE:cppgen_fmt> "${static_library}" --end-group
    COMMAND ${CMAKE_OBJCOPY} --strip-unneeded --remove-section=.eh_frame --remove-section=.gcc_except_table
            --remove-section=.comment ${kept} "${linked_library}"
    DEPENDS cppgen_runtime_linked_library cppgen_runtime_library cppgen_runtime_plan cppgen_runtime_base cppgen_isa cppgen_fmt
    COMMENT "Linking the functions of the runtime's library for emitted models"
    VERBATIM)
endif()
cppgen_embed_binary(cppgen_emit cppgen_linked_library "${linked_library}")
