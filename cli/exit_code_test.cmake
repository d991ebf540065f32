# Runs COMMAND (its words separated by |) and fails unless it exits with CODE.
string(REPLACE "|" ";" words "${COMMAND}")
execute_process(COMMAND ${words} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code STREQUAL CODE)
  message(FATAL_ERROR "exit code ${code}, expected ${CODE}\n${out}\n${err}")
endif()
