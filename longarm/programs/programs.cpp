// SPDX-License-Identifier: Apache-2.0
// Puts kernel, supervisor and streams together.
#include "longarm/programs/programs.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include "longarm/core/check.h"
#include "longarm/programs/kernel/interfaces.h"
#include "longarm/programs/kernel/output_file.h"

namespace longarm::programs {
namespace {

/// What programs need to find their own tools; nothing of ours that could differ between machines.
std::vector<std::string> usual_environment(const Host& host) {
  const auto of_ours = [](const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return std::string(name) + "=" + (value == nullptr ? otherwise : value);
  };
  return {of_ours("PATH", "/usr/local/bin:/usr/bin:/bin"), of_ours("HOME", "/"),
          of_ours("LD_LIBRARY_PATH", ""), of_ours("PYTHONPATH", ""), "LANG=C.UTF-8", "TZ=UTC",
          "HOSTNAME=" + host.name,
          // the order of Python's sets is drawn from the machine otherwise, before anything is read
          "PYTHONHASHSEED=0", "PYTHONUNBUFFERED=1"};
}

/// Later entries replace earlier ones of the same name; empty values are left out.
std::vector<std::string> merged(std::vector<std::string> all) {
  std::vector<std::string> out;
  for (std::string& entry : all) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(out, [&](const std::string& other) { return other.starts_with(name); });
    if (entry.size() > name.size()) {
      out.push_back(std::move(entry));
    }
  }
  return out;
}

}  // namespace

std::string describe_status(int status) {
  if (WIFEXITED(status)) {
    return fmt::format("exit code {}", WEXITSTATUS(status));
  }
  return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

Result<std::unique_ptr<Programs>> Programs::make(sim::Kernel& clock, network::Network& network,
                                                 std::size_t hosts, std::uint64_t seed,
                                                 const network::TcpOptions& tcp, const Log& log,
                                                 KernelOptions::Compute compute) {
  std::unique_ptr<Programs> programs(new Programs);
  Result<std::unique_ptr<network::Streams>> streams = network::make_streams(clock, network);
  if (!streams) {
    return streams.error();
  }
  programs->streams_ = std::move(streams).value();
  SupervisorOptions supervising;
  supervising.log = log;
  Result<std::unique_ptr<Supervisor>> supervisor = Supervisor::make(clock, supervising);
  if (!supervisor) {
    return supervisor.error();
  }
  programs->supervisor_ = std::move(supervisor).value();
  KernelOptions options;
  options.seed = seed;
  options.tcp = tcp;
  options.compute = std::move(compute);
  options.tcp.is_nodelay = false;  // programs say so themselves
  programs->kernel_ = std::make_unique<Kernel>(clock, *programs->supervisor_, options);
  programs->supervisor_->set_kernel(*programs->kernel_);
  programs->kernel_->set_network(*programs->streams_);
  for (std::size_t i = 0; i < hosts; ++i) {
    const auto node = static_cast<network::NodeId>(i);
    const network::Host& host = network.host(node);
    programs->kernel_->add_host(
        {host.name, node, 0, control::HostClock(host.clock_offset, host.clock_drift_ppm)});
  }
  for (const std::unique_ptr<Host>& one : programs->kernel_->hosts()) {
    one->files = {
        {"/etc/hosts", hosts_file(*programs->kernel_, *one)},
        {"/etc/hostname", one->name + "\n"},
        {"/etc/resolv.conf", ""},
        {"/etc/host.conf", "multi on\n"},
        // names are those of the cell: nobody is asked
        {"/etc/nsswitch.conf",
         "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"}};
  }
  return programs;
}

Programs::~Programs() {
  // programs end before what they talk to
  supervisor_.reset();
}

Host& Programs::host(network::NodeId node) const {
  Host* host = Internet::find(*kernel_, node);
  check(host != nullptr, "a program on a host that is not there");
  return *host;
}

Result<Process*> Programs::start(network::NodeId node, Program program) {
  Host& there = host(node);
  ProgramOptions options;
  options.name = program.name;
  options.command = program.command;
  options.environment = usual_environment(there);
  options.environment.insert(options.environment.end(), program.environment.begin(),
                             program.environment.end());
  options.environment = merged(std::move(options.environment));
  options.folder = program.folder;
  options.host = &there;
  options.computing = program.computing;
  for (const int stream : {1, 2}) {
    if (program.written) {
      options.standard[stream] = std::make_shared<OutputFile>(
          *kernel_, [written = program.written, stream](Time, std::span<const std::byte> bytes) {
            written(stream,
                    std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
          });
    }
  }
  options.ended = std::move(program.ended);
  const Result<Thread*> thread = supervisor_->launch(options);
  if (!thread) {
    return thread.error();
  }
  return (*thread)->process;
}

void Programs::kill(Process& process) {
  if (!process.status) {
    supervisor_->send_signal(process, nullptr, {SIGKILL});
  }
}

void Programs::end(Process& process) {
  supervisor_->stop_telling(process);
  kill(process);
}

HostPorts& Programs::ports(network::NodeId node) {
  return kernel_->state<Internet>().ports(*kernel_, host(node));
}

std::optional<network::NodeId> Programs::find_host(const std::string& name) const {
  in_addr address{};
  const bool is_address = inet_pton(AF_INET, name.c_str(), &address) == 1;
  for (const std::unique_ptr<Host>& one : kernel_->hosts()) {
    if (is_address ? one->address == ntohl(address.s_addr) : one->name == name) {
      return one->node;
    }
  }
  return std::nullopt;
}

}  // namespace longarm::programs
