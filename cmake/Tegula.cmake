# Helpers for folders that don't use MLIR.

find_program(TEGULA_CCACHE ccache)
if(TEGULA_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 ${TEGULA_CCACHE}) # one cache for all clones
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  find_program(TEGULA_LLD NAMES ld.lld-22 HINTS /usr/lib/llvm-22/bin)
  if(TEGULA_LLD)
    add_link_options(-fuse-ld=lld-22)
  endif()
endif()

# tegula_library(NAME source… [LINK lib…]): a static library of plain C++.
function(tegula_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tegula_unit_test(NAME source… [LINK lib…]): one GoogleTest binary, build/bin/NAME, known to ctest.
function(tegula_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
