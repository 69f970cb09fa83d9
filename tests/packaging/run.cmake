# SPDX-License-Identifier: Apache-2.0
# Installs the build into a scratch prefix, then builds and runs a consumer against it.
# Called with -DBUILD=... -DSOURCE=... -DSCRATCH=...
function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
step(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G Ninja -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
     -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_EXE_LINKER_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${SCRATCH}/build)
set(ENV{LONGARM_DATA} ${SCRATCH}/prefix/share/longarm)
step(${SCRATCH}/build/consumer)
step(${SCRATCH}/prefix/bin/longarm list)
