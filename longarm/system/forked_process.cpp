// SPDX-License-Identifier: Apache-2.0
// The child tells its address through a pipe and asks the system to end it with its parent.
#include "longarm/system/forked_process.h"

#include <array>
#include <csignal>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/system/descriptor.h"
#include "longarm/system/wait.h"

namespace longarm::system {
namespace {

constexpr std::chrono::seconds kReadyWithin(10);

}  // namespace

Result<ForkedProcess> ForkedProcess::start(const Body& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    return Error{"cannot create a pipe: " + last_system_error()};
  }
  Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id < 0) {
    return Error{"cannot start a process: " + last_system_error()};
  }
  if (id == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) {
      body([&](const Address& address) {
        const std::string text = to_text(address) + "\n";
        (void)!::write(writer.number(), text.data(), text.size());
      });
    }
    ::_exit(0);
  }
  writer.reset();
  ForkedProcess child(id, {});
  std::array<char, 256> line{};
  const ssize_t count = wait_for(reader.number(), POLLIN, kReadyWithin)
                            ? ::read(reader.number(), line.data(), line.size())
                            : 0;
  if (count <= 1) {
    return Error{"a process of ours could not listen"};
  }
  const Result<Address> address =
      parse_address(std::string_view(line.data(), static_cast<std::size_t>(count - 1)));
  if (!address) {
    return address.error();
  }
  child.address_ = *address;
  return child;
}

ForkedProcess::~ForkedProcess() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
}

}  // namespace longarm::system
