# SPDX-License-Identifier: Apache-2.0
# Writes longarm.1 and longarm-SUBCOMMAND.1 from --help. Called with -DPROGRAM -DHELP2MAN -DFOLDER -DVERSION.
function(write_page name summary)
  execute_process(COMMAND ${HELP2MAN} --no-info --name=${summary} --version-string=${VERSION} --output=${FOLDER}/${name}.1
                          "${PROGRAM} ${ARGN}"
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
write_page(longarm "simulate robot cells whose controllers sit at the far end of a network")
# lines of the list of subcommands: two blanks, the name, its summary
string(REGEX REPLACE ".*\nSubcommands:\n" "" list "${help}")
string(REGEX MATCHALL "(^|\n)  [a-z0-9]+ +[^\n]+" lines "${list}")
foreach(line IN LISTS lines)
  string(REGEX MATCH "  ([a-z0-9]+) +(.+)" ignored "${line}")
  write_page(longarm-${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" ${CMAKE_MATCH_1})
endforeach()
