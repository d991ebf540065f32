# tilecast_library(NAME SOURCES... [LINK libs...]): a static library with the project's warnings and standard.

add_library(tilecast_options INTERFACE)
target_compile_features(tilecast_options INTERFACE cxx_std_20)
target_include_directories(tilecast_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tilecast_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
  # False alarms of GCC 12 inside std::string (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(TILECAST_PRECOMPILED_HEADERS)
  # More of them (GCC bug 105329): what a precompiled header holds is no system header to GCC.
  target_compile_options(tilecast_options INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds;-fpch-preprocess>")
endif()
if(TILECAST_WERROR)
  target_compile_options(tilecast_options INTERFACE -Werror)
endif()
if(TILECAST_PORTABLE)
  # What is left to the machine is the C library, which dlopen needs (so no -static). Debian has no static fmt:
  # its code is taken from the headers, and --as-needed then drops the shared one from the link.
  set(Boost_USE_STATIC_LIBS ON)
  set(ZLIB_USE_STATIC_LIBS ON)
  target_compile_definitions(tilecast_options INTERFACE FMT_HEADER_ONLY)
  target_link_options(tilecast_options INTERFACE -static-libstdc++ -static-libgcc -Wl,--as-needed)
endif()

# Half of a small file's compile time is the standard library's headers: read once, where that is switched on.
# tilecast_precompiled(NAME OPTIONS HEADERS...): compiles HEADERS as targets that link OPTIONS do;
# tilecast_precompile(TARGET NAME): TARGET takes them from there.
set(tilecast_standard_headers <algorithm> <array> <cmath> <cstdint> <fstream> <functional> <map>
    <memory> <numeric> <optional> <ranges> <span> <sstream> <string> <string_view> <unordered_map> <variant> <vector>)

function(tilecast_precompiled name options)
  if(TILECAST_PRECOMPILED_HEADERS)
    file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE ${options})
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

function(tilecast_precompile target name)
  if(TILECAST_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

tilecast_precompiled(tilecast_headers tilecast_options ${tilecast_standard_headers})

function(tilecast_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tilecast_options ${ARG_LINK})
  tilecast_precompile(${name} tilecast_headers)
endfunction()

# tilecast_embed(TARGET VARIABLE FILES...): compiles FILES into TARGET as text, so that the binary needs no
# data folder. Declares `std::span<const tilecast::EmbeddedFile> VARIABLE()` (model/support/embedded.hpp).
function(tilecast_embed target variable)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${variable}.cpp)
  set(inputs)
  foreach(file IN LISTS ARG_FILES)
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  string(REPLACE ";" "|" joined "${ARG_FILES}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DVARIABLE=${variable} -DBASE=${CMAKE_CURRENT_SOURCE_DIR}
            "-DFILES=${joined}" -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
