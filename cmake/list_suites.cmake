# SPDX-License-Identifier: Apache-2.0
# Writes for ctest one test per suite of a GoogleTest program. Called with -DPROGRAM=... -DPREFIX=... -DFOLDER=...
# -DLIST=... after the program was built. Each has a folder for temporary files, which no other test writes to.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${output}")
# a suite is skipped if nothing of it passed and nothing failed: its output ends with the list of what was skipped
set(skipped "PASSED  []] 0 tests[.]\n[[]  SKIPPED []] [0-9]+ tests?, listed below:(\n[[]  SKIPPED []] [^\n]*)+\n*$")
set(script "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  file(MAKE_DIRECTORY ${FOLDER}/temporary/${suite})
  string(APPEND script "add_test([==[${PREFIX}.${suite}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
                       "set_tests_properties([==[${PREFIX}.${suite}]==] PROPERTIES TIMEOUT 600\n"
                       "                     ENVIRONMENT [==[TEST_TMPDIR=${FOLDER}/temporary/${suite}]==]\n"
                       "                     WORKING_DIRECTORY [==[${FOLDER}]==] SKIP_REGULAR_EXPRESSION [==[${skipped}]==])\n")
endforeach()
file(WRITE ${LIST} "${script}")
