// SPDX-License-Identifier: Apache-2.0
// System calls in the order that Linux wants them.
#include "tests/fidelity/linux/tun_namespace.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace longarm::fidelity {
namespace {

constexpr int kQueuePackets = 20'000;

Error refused(const std::string& what) {
  return Error{what + ": " + std::strerror(errno)};
}

ifreq request_for(const char* device) {
  ifreq request{};
  std::strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  return request;
}

bool set_address(int control, unsigned long what, const char* address) {
  ifreq request = request_for("tun0");
  sockaddr_in in{};
  in.sin_family = AF_INET;
  inet_pton(AF_INET, address, &in.sin_addr);
  std::memcpy(&request.ifr_addr, &in, sizeof(in));
  return ioctl(control, what, &request) == 0;
}

// A burst of a large window must not be lost here, where no link model knows of it.
bool lengthen_queue(int control) {
  ifreq request = request_for("tun0");
  request.ifr_qlen = kQueuePackets;
  return ioctl(control, SIOCSIFTXQLEN, &request) == 0;
}

bool bring_up(int control, const char* device) {
  ifreq request = request_for(device);
  if (ioctl(control, SIOCGIFFLAGS, &request) != 0) {
    return false;
  }
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  return ioctl(control, SIOCSIFFLAGS, &request) == 0;
}

}  // namespace

Result<int> enter_tun_namespace(const std::string& address) {
  if (unshare(CLONE_NEWNET) != 0) {
    return refused("no network namespace of its own");
  }
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) {
    return refused("no /dev/net/tun");
  }
  ifreq request = request_for("tun0");
  request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI);
  if (ioctl(device, TUNSETIFF, &request) != 0) {
    const Error error = refused("no TUN device");
    close(device);
    return error;
  }
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool is_up = control >= 0 && set_address(control, SIOCSIFADDR, address.c_str()) &&
                     set_address(control, SIOCSIFNETMASK, "255.255.255.0") &&
                     lengthen_queue(control) && bring_up(control, "tun0") &&
                     bring_up(control, "lo");
  if (!is_up) {
    const Error error = refused("the TUN device gets no address");
    close(control);
    close(device);
    return error;
  }
  close(control);
  return device;
}

bool ask_for_real_time(int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
}

}  // namespace longarm::fidelity
