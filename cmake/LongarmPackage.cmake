# SPDX-License-Identifier: Apache-2.0
# `./dev package`: man pages from --help, shell completion, and a Debian package by CPack.
find_program(LONGARM_HELP2MAN help2man)
mark_as_advanced(LONGARM_HELP2MAN)

install(FILES ${PROJECT_SOURCE_DIR}/apps/longarm/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME longarm)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# One page for the program and one for each subcommand; not part of `all`, as only packages need them.
if(LONGARM_HELP2MAN)
  set(pages ${PROJECT_BINARY_DIR}/man1)
  add_custom_target(longarm_man
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:longarm_app> -DHELP2MAN=${LONGARM_HELP2MAN} -DFOLDER=${pages}
            -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/make_man_pages.cmake
    DEPENDS longarm_app COMMENT "Writing the man pages" VERBATIM)
  install(DIRECTORY ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_NAME longarm)
set(CPACK_PACKAGE_CONTACT "Longarm maintainers <maintainers@longarm.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# to write plug-ins and programs: a compiler, and what our headers and libraries refer to
file(STRINGS ${PROJECT_SOURCE_DIR}/packages.txt suggested REGEX "^(cmake|g\\+\\+|lib.*-dev|.*-json3-dev|zlib1g-dev)$")
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
include(CPack)
