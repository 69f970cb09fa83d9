# SPDX-License-Identifier: Apache-2.0
"""Tries larger programs of Debian in simulated time, and prints what they were asked and what came of it: ./dev programs."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_equal_runs import check_many
from program import Program
from scenes import PYTHON, equal, holds, network, run, write

sameness = ""


def scene(longarm, actors, about_itself="$^"):
    """Runs it twice and notes what was the same; `about_itself` is what it prints of the processor's time."""
    global sameness
    write("scene.yaml", f"{network()}length: 60s\nactors:\n{actors}")
    first, again = (run(longarm, "scene.yaml", out=out) for out in ("first", "again"))

    def said(outcome):
        return {name: re.sub(about_itself, "", content.decode()) for name, content in outcome.output_files().items()}

    equal(said(again), said(first), "what was written the second time")
    is_same = first.metrics["state_hash"] == again.metrics["state_hash"]
    sameness = "same twice" if is_same else "same output twice, other system calls"
    return first


def try_redis(longarm):
    """redis-server, -benchmark | 1000 GETs over 10 connections, 10 ms apart"""
    out = scene(longarm, """
  server: {kind: program, host: edge, command: [redis-server, --port, "6379", --bind, "*", --protected-mode, "no", --save, ""]}
  client: {kind: program, host: robot, command: [redis-benchmark, -h, edge, -t, get, -n, "1000", -c, "10", --precision, "3", --csv], start: 1s, expect_exit: 0}
""")
    numbers = [float(word.strip('"')) for word in out.text("client").splitlines()[-1].split(",")[1:]]
    # requests a second and latencies in ms: mean, least, ...
    holds(20.0 <= numbers[2] < 20.1, numbers)
    return f"latency {numbers[2]:.3f} ms at least, {numbers[1]:.3f} ms on average"


def try_node(longarm):
    """node | HTTP server that answers after a timer of 50 ms"""
    write("server.js", "require('http').createServer((q, a) => setTimeout(() => a.end('from node\\n'), 50)).listen(8080);\n")
    out = scene(longarm, """
  server: {kind: program, host: edge, command: [node, server.js]}
  client: {kind: program, host: robot, command: [curl, -s, -w, "%{time_total}", "http://edge:8080/"], start: 5s, expect_exit: 0}
""")
    words, seconds = out.text("client").split("\n")
    equal(words, "from node")
    holds(0.09 <= float(seconds) < 0.0901, seconds)
    return f"answer after {seconds} s"


def try_java(longarm):
    """java (OpenJDK) | 100 sleeps of 10 ms, and 100 round trips between two virtual machines"""
    write("Echo.java", """
import java.io.*; import java.net.*;
public class Echo {
  public static void main(String[] words) throws Exception {
    if (words[0].equals("serve")) {
      try (ServerSocket door = new ServerSocket(7000); Socket it = door.accept()) { it.setTcpNoDelay(true); it.getInputStream().transferTo(it.getOutputStream()); }
      return;
    }
    long began = System.nanoTime();
    for (int i = 0; i < 100; ++i) Thread.sleep(10);
    System.out.println(System.nanoTime() - began);
    try (Socket it = new Socket("edge", 7000)) {
      it.setTcpNoDelay(true);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 100; ++i) {
        began = System.nanoTime();
        it.getOutputStream().write(new byte[100]);
        it.getInputStream().readNBytes(100);
        least = Math.min(least, System.nanoTime() - began);
      }
      System.out.println(least);
    }
  }
}
""")
    subprocess.run(["javac", "Echo.java"], check=True)
    out = scene(longarm, """
  server: {kind: program, host: edge, command: [java, -cp, ., Echo, serve]}
  client: {kind: program, host: robot, command: [java, -cp, ., Echo, call], start: 5s, expect_exit: 0}
""")
    slept, least = map(int, out.text("client").split())
    equal(least, 20_002_848)  # as of 100 bytes each way in any other program
    return f"slept {slept / 1e9:.9f} s; round trip {least} ns"


def try_grpc(longarm):
    """grpcio (Python) | 200 calls"""
    write("serve.py", """
import grpc
from concurrent import futures
class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)
server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Echo(),))
server.add_insecure_port("0.0.0.0:50051")
server.start()
server.wait_for_termination()
""")
    write("call.py", """
import grpc, time
with grpc.insecure_channel("edge:50051") as channel:
    echo = channel.unary_unary("/demo.Echo/echo")
    times = []
    for i in range(200):
        began = time.monotonic_ns()
        assert echo(b"x" * 100) == b"x" * 100
        times.append(time.monotonic_ns() - began)
print(sorted(times)[0], sorted(times)[100])
""")
    out = scene(longarm, f"""
  server: {{kind: program, host: edge, command: [{PYTHON}, serve.py]}}
  client: {{kind: program, host: robot, command: [{PYTHON}, call.py], start: 2s, expect_exit: 0}}
""")
    least, median = map(int, out.text("client").split())
    holds(20_000_000 < least < 20_100_000, out.text("client"))
    return f"round trip {least} ns at least, {median} ns in the middle"


def try_dds(longarm):
    """ddsperf (Cyclone DDS) | two participants that find each other by multicast, ping for 9 s"""
    out = scene(longarm, """
  pong: {kind: program, host: edge, command: [ddsperf, -D, "20", pong]}
  ping: {kind: program, host: robot, command: [ddsperf, -D, "10", ping, 10Hz], start: 1s, expect_exit: 0}
""", r"(?m)^.* ddsperf:.*\n")
    found = re.findall(r"min (\d+(?:\.\d+)?)us", out.text("ping"))
    holds(found, out.text("ping") + out.text("ping", "stderr"))
    least = min(float(number) for number in found)
    holds(10_000 <= least < 10_050, least)  # it halves round trips
    return f"half a round trip {least} us at least"


def try_go(longarm):
    """a Go binary | goroutines that sleep, and an HTTP server and client"""
    write("main.go", """
package main
import ("fmt"; "io"; "net/http"; "os"; "sync"; "time")
func main() {
	if os.Args[1] == "serve" {
		http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "from Go") })
		http.ListenAndServe(":8080", nil)
	}
	began := time.Now()
	var all sync.WaitGroup
	for i := 1; i <= 100; i++ {
		all.Add(1)
		go func(i int) { time.Sleep(time.Duration(i) * time.Millisecond); all.Done() }(i)
	}
	all.Wait()
	fmt.Println(time.Since(began).Nanoseconds())
	began = time.Now()
	answer, problem := http.Get("http://edge:8080/")
	if problem != nil { panic(problem) }
	words, _ := io.ReadAll(answer.Body)
	fmt.Println(time.Since(began).Nanoseconds())
	fmt.Print(string(words))
}
""")
    subprocess.run(["go", "build", "-o", "gone", "main.go"], check=True,
                   env={**os.environ, "GOCACHE": str(pathlib.Path("cache").resolve()), "GO111MODULE": "off"})
    out = scene(longarm, """
  server: {kind: program, host: edge, command: [./gone, serve]}
  client: {kind: program, host: robot, command: [./gone, get], start: 1s, expect_exit: 0}
""")
    slept, spent, words = out.text("client").split("\n")[:3]
    equal(words, "from Go")
    holds(100e6 <= int(slept) < 100.2e6 and 40e6 < int(spent) < 40.2e6, out.text("client"))
    return f"slept {slept} ns; answer after {spent} ns"


def try_equal_runs(longarm):
    """mosquitto, websockets, threads, a pipeline | 20 runs, half beside a busy machine, on each core"""
    global sameness
    sameness = "same 20 times"
    return f"state hash {check_many(longarm, 20)}"


def main():
    binary, source, *names = sys.argv[1:]
    binary = os.path.abspath(binary)
    print(f"{'program':36} {'asked for':70} result")
    tries = {name[4:]: one for name, one in globals().items() if name.startswith("try_")}
    failed = 0
    for name in names or tries:
        folder = tempfile.mkdtemp(prefix="longarm-try-")
        os.chdir(folder)
        program, asked = tries[name].__doc__.split(" | ")
        try:
            result = tries[name](Program(binary, source)) + f" ({sameness})"
        except AssertionError as problem:
            failed += 1
            result = "FAILED: " + " ".join(str(problem).split())[:600]
        os.chdir("/")
        shutil.rmtree(folder)
        print(f"{program:36} {asked:70} {result}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
