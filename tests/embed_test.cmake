# What Embed.cmake writes changes with the content of the files it embeds, not with their names alone: compiler
# caches know the C++ file only. Run with -DEMBED=path of Embed.cmake -DFOLDER=an empty folder to write in.
foreach(content before after)
  file(WRITE ${FOLDER}/data.txt ${content})
  execute_process(COMMAND ${CMAKE_COMMAND} -DOUTPUT=${FOLDER}/${content}.cpp -DVARIABLE=data -DBASE=${FOLDER}
                          -DFILES=data.txt -P ${EMBED} COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${FOLDER}/${content}.cpp ${content})
endforeach()
if(NOT before MATCHES "\\.incbin")
  message(FATAL_ERROR "${FOLDER}/before.cpp embeds nothing")
endif()
if(before STREQUAL after)
  message(FATAL_ERROR "${EMBED}: the same C++ file for other content; a compiler cache would serve old data")
endif()
