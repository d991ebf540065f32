# tilecast_tests(NAME SOURCES... LINK libs...): one Catch2 program, its cases known to CTest one by one.
# Debian 12 ships Catch2 2.13, Debian 13 ships 3.7; tests/catch.hpp hides the difference.
# Without TILECAST_TESTS both functions do nothing, and Catch2 is not looked for.

function(tilecast_tests name)
  if(NOT TILECAST_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tilecast_test_main ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE TILECAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  tilecast_precompile(${name} tilecast_test_headers)
  catch_discover_tests(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endfunction()

# tilecast_gpu_tests(NAME SOURCES... LINK libs...): the same for tests that need a GPU (label gpu). Where there is
# none they are skipped; where the runtime is not built there is nothing to build.
function(tilecast_gpu_tests name)
  if(NOT TILECAST_TESTS OR NOT TILECAST_WITH_CUDA)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/gpu_main.cpp ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tilecast_options tilecast_runtime ${ARG_LINK})
  if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
    target_compile_definitions(${name} PRIVATE TILECAST_CATCH3)
  endif()
  target_link_libraries(${name} PRIVATE Catch2::Catch2)
  target_compile_definitions(${name} PRIVATE TILECAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  catch_discover_tests(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS gpu)
endfunction()

if(NOT TILECAST_TESTS)
  return()
endif()

find_package(Catch2 3 QUIET)
if(NOT Catch2_FOUND)
  find_package(Catch2 2 REQUIRED)
endif()
include(Catch)

add_library(tilecast_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/catch_main.cpp)
target_link_libraries(tilecast_test_main PUBLIC tilecast_options)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_compile_definitions(tilecast_test_main PUBLIC TILECAST_CATCH3)
  target_link_libraries(tilecast_test_main PUBLIC Catch2::Catch2WithMain)
else()
  target_link_libraries(tilecast_test_main PUBLIC Catch2::Catch2)
endif()

# Nobody waits for a test's own code to run, but for its compiler.
target_compile_options(tilecast_test_main INTERFACE -O1)
tilecast_precompiled(tilecast_test_headers tilecast_test_main ${tilecast_standard_headers}
                     ${PROJECT_SOURCE_DIR}/tests/catch.hpp)
