# Writes OUTPUT, a C++ file that holds each of FILES (separated by |, relative to BASE) in the binary by the
# assembler's .incbin: no limit on length, no time in the compiler. The C++ file also names each file's hash:
# a compiler cache does not see what the assembler reads and would go on serving yesterday's data.
string(REPLACE "|" ";" FILES "${FILES}")
set(text "#include \"model/support/embedded.hpp\"\n\n")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  set(symbol ${VARIABLE}_file_${index})
  file(SHA256 "${BASE}/${file}" hash)
  string(APPEND text
    "// sha256 ${hash}\n"
    "__asm__(\".section .rodata\\n\"\n"
    "        \"${symbol}_begin: .incbin \\\"${BASE}/${file}\\\"\\n\"\n"
    "        \"${symbol}_end: .byte 0\\n\"\n"
    "        \".previous\\n\");\n"
    "extern \"C\" const char ${symbol}_begin[], ${symbol}_end[];\n")
  string(APPEND table
    "      {\"${file}\", {${symbol}_begin, static_cast<std::size_t>(${symbol}_end - ${symbol}_begin)}},\n")
  math(EXPR index "${index} + 1")
endforeach()
set(body "  return {};\n")  # an array of no elements is not C++
if(table)
  set(body "  static const EmbeddedFile files[] = {\n${table}  };\n  return files;\n")
endif()
string(APPEND text "\nnamespace tilecast {\n\nstd::span<const EmbeddedFile> ${VARIABLE}() {\n${body}}\n\n}  // namespace tilecast\n")
file(WRITE ${OUTPUT} "${text}")
