# SPDX-License-Identifier: Apache-2.0
# One step of making the pages, in a copy WORK of SOURCE: STEP=fetch runs `npm ci`, STEP=build bundles.
file(MAKE_DIRECTORY ${WORK})

if(STEP STREQUAL "fetch")
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${WORK})
  # Install scripts are not needed: esbuild's program is a package of its own.
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${output}\n"
            "The libraries of the pages could not be fetched with `npm ci` (${NPM}).\n"
            "Is the npm registry reachable from here? `npm ping` tells, `npm config get registry` says which one it is.\n"
            "Without it, configure with -DLONGARM_REPORT_PAGE=OFF: all but the HTML pages of `longarm report` and `longarm view` works.")
  endif()
  return()
endif()

# Copied afresh, so that a file that is gone from SOURCE is gone here too.
file(REMOVE_RECURSE ${WORK}/src ${WORK}/test ${WORK}/dist)
file(COPY ${SOURCE}/src ${SOURCE}/test ${SOURCE}/build.mjs ${SOURCE}/figure_style.mjs ${SOURCE}/tsconfig.json
     ${SOURCE}/../longarm/record/figure_style.h DESTINATION ${WORK})
execute_process(COMMAND ${NPM} run --silent build
                WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result)
  message(FATAL_ERROR "${output}\nThe pages could not be bundled.")
endif()
