# tilecast_tests(NAME SOURCES... LINK libs...): one Catch2 program, its cases known to CTest one by one.
# Debian 12 ships Catch2 2.13, Debian 13 ships 3.7; tests/catch.hpp hides the difference.

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

function(tilecast_tests name)
  if(NOT TILECAST_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tilecast_test_main ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE TILECAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  catch_discover_tests(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endfunction()
