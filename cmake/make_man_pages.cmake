# SPDX-License-Identifier: Apache-2.0
# Writes longarm.1, longarm-SUBCOMMAND.1, longarm-ns3.1 and longarm-ros2.1 from --help. Called with -DPROGRAM [-DNS3] [-DROS2]
# -DHELP2MAN -DFOLDER -DVERSION.

# write_page(<name> <summary> <program> [<subcommand>])
function(write_page name summary program)
  set(page ${FOLDER}/${name}.1)
  execute_process(COMMAND ${HELP2MAN} --no-info --name=${summary} --version-string=${VERSION} --output=${page}
                          "${program} ${ARGN}"
                  COMMAND_ERROR_IS_FATAL ANY)
  # a page is found by its name, which has no blanks
  file(READ ${page} text)
  string(TOUPPER ${name} title)
  string(REGEX REPLACE "\n\\.TH [^ ]+ \"1\" (\"[^\"]*\") \"[^\"]*\"" "\n.TH ${title} \"1\" \\1 \"${name} ${VERSION}\"" text "${text}")
  string(REGEX REPLACE "\n\\.SH NAME\n[^\n]+" "\n.SH NAME\n${name} \\\\- ${summary}" text "${text}")
  file(WRITE ${page} "${text}")
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
write_page(longarm "simulate robot cells whose controllers sit at the far end of a network" ${PROGRAM})
if(NS3)
  write_page(longarm-ns3 "simulate networks for longarm with ns-3" ${NS3})
endif()
if(ROS2)
  write_page(longarm-ros2 "make a cell of longarm serve a ROS 2 node" ${ROS2})
endif()
# lines of the list of subcommands: two blanks, the name, its summary
string(REGEX REPLACE ".*\nSubcommands:\n" "" list "${help}")
string(REGEX MATCHALL "(^|\n)  [a-z0-9]+ +[^\n]+" lines "${list}")
foreach(line IN LISTS lines)
  string(REGEX MATCH "  ([a-z0-9]+) +(.+)" ignored "${line}")
  write_page(longarm-${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" ${PROGRAM} ${CMAKE_MATCH_1})
endforeach()
# as Debian has them
file(GLOB pages ${FOLDER}/*.1)
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
