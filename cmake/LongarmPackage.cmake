# SPDX-License-Identifier: Apache-2.0
# `./dev package`: man pages from --help, shell completion, and a Debian package by CPack.
find_program(LONGARM_HELP2MAN help2man)
mark_as_advanced(LONGARM_HELP2MAN)

install(FILES ${PROJECT_SOURCE_DIR}/apps/longarm/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME longarm)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# One page for the program and one for each subcommand, and the changelogs that Debian asks for. Not part of `all`, as
# only packages need them; what is installed is built with them, tests and benchmarks are not.
if(LONGARM_HELP2MAN)
  set(pages ${PROJECT_BINARY_DIR}/man1)
  set(changelogs ${PROJECT_BINARY_DIR}/changelogs)
  get_property(libraries GLOBAL PROPERTY LONGARM_LIBRARIES)
  add_custom_target(longarm_package
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:longarm_app> -DHELP2MAN=${LONGARM_HELP2MAN} -DFOLDER=${pages}
            -DNS3=$<$<TARGET_EXISTS:longarm_ns3>:$<TARGET_FILE:longarm_ns3>>
            -DROS2=$<$<TARGET_EXISTS:longarm_ros2>:$<TARGET_FILE:longarm_ros2>> -DVERSION=${PROJECT_VERSION}
            -P ${PROJECT_SOURCE_DIR}/cmake/make_man_pages.cmake
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DFOLDER=${changelogs} -DVERSION=${PROJECT_VERSION}
            -P ${PROJECT_SOURCE_DIR}/cmake/make_changelogs.cmake
    COMMENT "Writing man pages and changelogs" VERBATIM)
  add_dependencies(longarm_package longarm_app ${libraries})
  if(TARGET longarm_ns3)
    add_dependencies(longarm_package longarm_ns3)
  endif()
  if(TARGET longarm_ros2)
    add_dependencies(longarm_package longarm_ros2)
  endif()
  install(DIRECTORY ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
  install(DIRECTORY ${changelogs}/ DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_NAME longarm)
set(CPACK_PACKAGE_CONTACT "The Longarm authors <maintainers@longarm.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of robot cells whose controllers are across a network")
set(CPACK_PACKAGE_DESCRIPTION "Longarm simulates an arm and its physics, the controller, the link and
every message between them on one deterministic virtual clock. It shows in
millimetres what latency, jitter and loss do to a robot.
.
This package has the program, its robots, scenarios and studies, ns-3 as
a network backend, and the headers and libraries that plug-ins need.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Studies over several machines, clients in Python; to write plug-ins and programs a compiler, and what our headers and
# libraries refer to.
file(READ ${PROJECT_SOURCE_DIR}/packages.txt suggested)
string(REGEX REPLACE "\n# -- to test.*" "" suggested "${suggested}")
string(REGEX MATCHALL "(cmake|g\\+\\+|openmpi-bin|[a-z0-9-]+-dev)\n" suggested "${suggested}\n")
list(TRANSFORM suggested STRIP)
list(REMOVE_ITEM suggested libns3-dev libcli11-dev)
list(APPEND suggested python3)
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
# what we install is to have the same permissions whatever the umask of the builder is
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
include(CPack)
