# MLIR, LLVM and LLD 22 as Debian packages them, and the helpers of every folder that includes MLIR headers.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(LLD 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(TEGULA_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

# Everything that sees MLIR is compiled with exactly these flags, so that one precompiled header serves all.
set(TEGULA_MLIR_OPTIONS -fno-exceptions)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND TEGULA_MLIR_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
endif()

function(tegula_mlir_settings name)
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_compile_definitions(${name} PRIVATE ${TEGULA_LLVM_DEFINITIONS})
  target_compile_options(${name} PRIVATE ${TEGULA_MLIR_OPTIONS})
endfunction()

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch.cpp CONTENT "") # written where it differs only
add_library(tegula_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
tegula_mlir_settings(tegula_pch)
target_precompile_headers(tegula_pch PRIVATE ${CMAKE_SOURCE_DIR}/include/tegula/Support/pch.h)

# CMake's REUSE_FROM writes the clone's path into every command, and the header's bytes hold it too: no
# object would be shared between clones. So it is named relative to the build folder, and ccache is
# given what it is made of (TEGULA_PCH_SUM, read where CCACHE_PCH_EXTSUM is set) instead of its bytes.
set(TEGULA_PCH CMakeFiles/tegula_pch.dir/cmake_pch.hxx.pch)
file(SHA256 ${CMAKE_SOURCE_DIR}/include/tegula/Support/pch.h TEGULA_PCH_SUM)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/tegula/Support/pch.h)
string(SHA256 TEGULA_PCH_SUM "${TEGULA_PCH_SUM} ${LLVM_PACKAGE_VERSION} ${CMAKE_CXX_COMPILER_VERSION} \
${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEVELOPMENT} ${TEGULA_LLVM_DEFINITIONS}")
file(WRITE ${CMAKE_BINARY_DIR}/${TEGULA_PCH}.sum ${TEGULA_PCH_SUM})

function(tegula_use_pch name)
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${TEGULA_PCH}")
  get_target_property(sources ${name} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/${TEGULA_PCH})
endfunction()

# tegula_mlir_library(NAME source… [LINK lib…] [DEPENDS tablegen-target…])
function(tegula_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tegula_mlir_settings(${name})
  tegula_use_pch(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
endfunction()

# tegula_mlir_tool(NAME source… [LINK lib…]): an executable in build/bin.
function(tegula_mlir_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tegula_mlir_settings(${name})
  tegula_use_pch(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()

# tegula_mlir_unit_test(NAME source… [LINK lib…])
function(tegula_mlir_unit_test name)
  tegula_mlir_tool(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
