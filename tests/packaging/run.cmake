# SPDX-License-Identifier: Apache-2.0
# Installs the build into a scratch prefix, then builds and runs a consumer and the example plug-ins against it.
# Called with -DBUILD=... -DSOURCE=... -DSCRATCH=...
function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# build(<name> <folder> [<flags>]): a project of a stranger's
function(build name folder)
  step(${CMAKE_COMMAND} -S ${folder} -B ${SCRATCH}/${name} -G Ninja -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
       "-DCMAKE_CXX_FLAGS=${FLAGS} ${ARGN}" -DCMAKE_EXE_LINKER_FLAGS=${FLAGS} -DCMAKE_MODULE_LINKER_FLAGS=${FLAGS})
  step(${CMAKE_COMMAND} --build ${SCRATCH}/${name})
endfunction()

# expect(<exit code> <regular expression> <longarm arguments>...)
function(expect code pattern)
  execute_process(COMMAND ${SCRATCH}/prefix/bin/longarm ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL code OR NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "longarm ${ARGN}\nended with ${result} and said\n${output}\nexpected ${code} and ${pattern}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
set(ENV{LONGARM_DATA} ${SCRATCH}/prefix/share/longarm)
build(consumer ${SOURCE})
step(${SCRATCH}/consumer/consumer)
step(${SCRATCH}/prefix/bin/longarm list)
expect(0 "2 of 2 points done, 2 of them new.*report.html" sweep ur5-latency --axis link.delay=0ms,5ms
       --out ${SCRATCH}/runs/study)

# clients
step(${CMAKE_COMMAND} -E env PYTHONPATH=$ENV{LONGARM_DATA}/clients/python python3 -B -c "import longarm_client")

# plug-ins
set(plugins ${SOURCE}/../../examples/plugins)
build(blackout ${plugins}/blackout_link)
build(predictor ${plugins}/predictor_controller)
build(chunks ${plugins}/chunk_player)
set(blackout --plugin ${SCRATCH}/blackout/blackout_link.so)
set(predictor --plugin ${SCRATCH}/predictor/predictor_controller.so)
expect(0 "blackout +loses what is sent" list ${blackout})
expect(0 "predictor +Smith predictor" list ${predictor})
set(chunks --plugin ${SCRATCH}/chunks/chunk_player.so)
expect(0 "chunk-player +plays chunks.*chunk-policy +makes chunks" list ${chunks})

# 50 ms in every second are dark: of 12 s at 1 kHz (the first blackout begins after one second) 11 times 50 are lost
expect(0 "\"lost\": 550" run one-joint ${blackout} --set task.hold=12s --set link.blackout_every=1s --json
       --out ${SCRATCH}/runs/blackout)

# a failure of its own: down for 50 of every 100 ms, for a second; 13 commands, one every 4 ms, are in each half
expect(0 "link NAME flickers for TIME +it is down" keys failures ${blackout})
expect(0 "\"commands\": {[^}]*\"lost\": 130,.*\"2s link rack flickers for 1s\"" run ur5-topology ${blackout} --json
       --set "network.links.bridge.netem=delay 2ms" --set "failures=2s link rack flickers for 1s"
       --out ${SCRATCH}/runs/flickers)

# at 20 ms of loop delay the closed form allows a gain of 76.6/s; who knows the delay does not see it
set(far --set link.delay=10ms --set gain=300 --set task.hold=5s)
expect(0 "UNSTABLE" run one-joint ${far} --out ${SCRATCH}/runs/pid)
expect(0 "verdict +stable" run one-joint ${far} ${predictor} --set controller=predictor
       --set controller.loop_delay=20ms --out ${SCRATCH}/runs/predictor)
# a run knows which plug-ins it needs
expect(0 "identical: " replay ${SCRATCH}/runs/predictor)

# play(<name> <inference> <length> <regular expression> <longarm arguments>...): a joint that plays chunks of 20 targets
# at 50 Hz. From a request to its chunk: 20 ms of network and the inference. 120 ms are 6 ticks, so what was asked for at
# one tick is played at the sixth after it, and the n = 5 between are idle: 5 of 25. One nanosecond more makes it n = 6 of
# 26. The first target is played 20 ms later than that, at tick 7 or 8, because of the handshake; then 40 cycles count.
function(play name inference length pattern)
  expect(0 "${pattern}" run ${plugins}/chunk_player/chunk-player.yaml ${chunks} --json --out ${SCRATCH}/runs/${name}
         --set actors.policy.inference_min=${inference} --set actors.policy.inference_max=${inference}
         --set length=${length} ${ARGN})
endfunction()
set(ahead --set actors.robot.mode=asynchronous --set)
play(synchronous 100ms 20140ms "\"ticks\": 1000,.*\"idle_ticks\": 200,.*\"idle_share\": 0\\.2,.*\"starved\": 40,")
play(synchronous_late 100000001ns 20960ms "\"ticks\": 1040,.*\"idle_ticks\": 240,")
# older targets bridge the gap if and only if there are n of them
play(ahead_by_4 100ms 16940ms "\"ticks\": 840,.*\"idle_ticks\": 40,.*\"starved\": 40," ${ahead} actors.robot.threshold=4)
play(ahead_by_5 100ms 20140ms "\"ticks\": 1000,.*\"idle_ticks\": 0,.*\"starved\": 0," ${ahead} actors.robot.threshold=5)
play(ahead_by_5_late 100000001ns 20140ms "\"starved\": [1-9]" ${ahead} actors.robot.threshold=5)
play(ahead_by_6_late 100000001ns 20140ms "\"starved\": 0," ${ahead} actors.robot.threshold=6)
# run again from its folder, it names its plug-in and repeats bit by bit
file(READ ${SCRATCH}/runs/ahead_by_4/metrics.json metrics)
string(JSON hash GET "${metrics}" state_hash)
expect(0 "state hash ${hash}" run ${SCRATCH}/runs/ahead_by_4/scenario.yaml --out ${SCRATCH}/runs/ahead_again)
expect(2 "uses the chunk policy of 'policy' across the network, but 'robot' has no host"
       run ${plugins}/chunk_player/chunk-player.yaml ${chunks} --set "actors.robot.host=''")

# what must be refused, and how
file(READ ${SCRATCH}/prefix/include/longarm/core/version.h version)
string(REGEX REPLACE "[0-9]+\\.[0-9]+\\.[0-9]+" "9.8.7" version "${version}")
file(WRITE ${SCRATCH}/other/longarm/core/version.h "${version}")
build(other_version ${plugins}/blackout_link -I${SCRATCH}/other)
expect(2 "this plug-in was built for longarm longarm 9\\.8\\.7, g.. 12, C.. 202002L, but this is longarm"
       run one-joint --plugin ${SCRATCH}/other_version/blackout_link.so)
expect(2 "plug-in not found" list --plugin ${SCRATCH}/nothing.so)
expect(2 "link model 'blackout' ignores 'slots'|'slots' cannot be combined with 'blackout_every'"
       run one-joint ${blackout} --set link.blackout_every=1s --set link.slots=1)
