// SPDX-License-Identifier: Apache-2.0
// A switch between network namespaces whose way takes a given time: delay_switch NANOSECONDS
// NAMESPACE... The device eth0 of the n-th namespace, a TUN device that exists already, has the
// address *.*.*.n.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr std::size_t kLargestPacket = 65'536;
constexpr std::size_t kLastOctet = 19;  // of the destination, in a header of IPv4

struct Packet {
  std::int64_t due_ns = 0;
  std::size_t to = 0;
  std::vector<char> bytes;
};

int refuse_below_zero(int result, const std::string& what) {
  if (result < 0) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
  }
  return result;
}

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

int open_device(const std::string& name) {
  const int place = refuse_below_zero(open(("/run/netns/" + name).c_str(), O_RDONLY), name);
  refuse_below_zero(setns(place, CLONE_NEWNET), name);
  close(place);
  const int device = refuse_below_zero(open("/dev/net/tun", O_RDWR | O_NONBLOCK), "/dev/net/tun");
  ifreq request{};
  std::strcpy(request.ifr_name, "eth0");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  refuse_below_zero(ioctl(device, TUNSETIFF, &request), name + ": eth0");
  return device;
}

/// Every way takes equally long, so that packets leave in the order in which they came.
class Switch {
 public:
  Switch(std::int64_t delay_ns, const std::vector<std::string>& names) : delay_ns_(delay_ns) {
    for (const std::string& name : names) {
      ports_.push_back({open_device(name), POLLIN, 0});
    }
  }

  void run() {
    for (;;) {
      for (const pollfd& port : ports_) {
        take_all_from(port.fd);
      }
      while (!under_way_.empty() && under_way_.front().due_ns <= now_ns()) {
        const Packet& packet = under_way_.front();
        // a device that is full loses packets, as a switch does
        [[maybe_unused]] const ssize_t sent =
            write(ports_[packet.to].fd, packet.bytes.data(), packet.bytes.size());
        under_way_.pop_front();
      }
      wait();
    }
  }

 private:
  void take_all_from(int device) {
    char bytes[kLargestPacket];
    for (ssize_t size = 0; (size = read(device, bytes, sizeof(bytes))) > 0;) {
      const auto length = static_cast<std::size_t>(size);
      const bool is_ipv4 = length > kLastOctet && (bytes[0] >> 4 & 0xF) == 4;
      const std::size_t to = is_ipv4 ? static_cast<unsigned char>(bytes[kLastOctet]) : 0;
      if (to >= 1 && to <= ports_.size()) {
        under_way_.push_back({now_ns() + delay_ns_, to - 1, {bytes, bytes + length}});
      }
    }
  }

  void wait() {
    const std::int64_t left = under_way_.empty()
                                  ? 1'000'000'000
                                  : std::max<std::int64_t>(0, under_way_.front().due_ns - now_ns());
    const timespec time{left / 1'000'000'000, left % 1'000'000'000};
    ppoll(ports_.data(), ports_.size(), &time, nullptr);
  }

  std::int64_t delay_ns_;
  std::vector<pollfd> ports_;
  std::deque<Packet> under_way_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: delay_switch NANOSECONDS NAMESPACE...\n");
    return 2;
  }
  try {
    Switch between(std::atoll(argv[1]), {argv + 2, argv + argc});
    std::printf("ready\n");
    std::fflush(stdout);
    between.run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "delay_switch: %s\n", problem.what());
    return 1;
  }
}
