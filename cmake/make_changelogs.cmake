# SPDX-License-Identifier: Apache-2.0
# Writes changelog.gz, which is CHANGELOG.md, and changelog.Debian.gz, which points to it. Called with -DSOURCE -DFOLDER
# -DVERSION.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
configure_file(${SOURCE}/CHANGELOG.md ${FOLDER}/changelog COPYONLY)
file(STRINGS ${SOURCE}/CITATION.cff released REGEX "^date-released: ")
string(REPLACE "date-released: " "" released "${released}")
execute_process(COMMAND date -R -u -d ${released} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${FOLDER}/changelog.Debian "longarm (${VERSION}-1) unstable; urgency=medium

  * Version ${VERSION}: see changelog.gz.

 -- The Longarm authors <maintainers@longarm.invalid>  ${date}
")
execute_process(COMMAND gzip -9n ${FOLDER}/changelog ${FOLDER}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
