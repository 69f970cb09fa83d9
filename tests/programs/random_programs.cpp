// SPDX-License-Identifier: Apache-2.0
// The families of calls that random programs are made of.
#include "tests/programs/random_programs.h"

#include <cstring>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {
namespace {

constexpr std::size_t kStructures = kDataBytes;

// kinds of files
constexpr std::uint32_t kPipeOut = 1;
constexpr std::uint32_t kPipeIn = 2;
constexpr std::uint32_t kEvent = 4;
constexpr std::uint32_t kTimer = 8;
constexpr std::uint32_t kEpoll = 16;
constexpr std::uint32_t kSocketPair = 32;
constexpr std::uint32_t kAnyKind = ~std::uint32_t{0};
constexpr std::uint32_t kReadable = kPipeOut | kEvent | kTimer | kSocketPair;
constexpr std::uint32_t kWritable = kPipeIn | kEvent | kSocketPair;

/// The program so far, and what it may refer to.
class Maker {
 public:
  Maker(RandomStream& random, Program& program, bool may_wait)
      : random_(random), program_(program), may_wait_(may_wait) {}

  /// Whether calls may wait until a signal ends them, which costs time.
  bool may_wait() const { return may_wait_; }

  std::uint64_t below(std::uint64_t end) { return random_.bits() % end; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }

  /// Mostly one that is open and of such a kind.
  int descriptor(std::uint32_t kinds = kAnyKind) {
    std::vector<int> fitting;
    for (const auto& [number, kind] : open_) {
      if ((kind & kinds) != 0) {
        fitting.push_back(number);
      }
    }
    if (fitting.empty() || chance(20)) {
      return chance(5) ? one_of({-1, 500, 2000}) : 3 + static_cast<int>(below(open_.size() + 3));
    }
    return fitting[below(fitting.size())];
  }
  /// What the next descriptor will be, if nothing goes wrong.
  void opened(std::uint32_t kind, int least = 3) {
    while (open_.contains(least)) {
      ++least;
    }
    open_[least] = kind;
  }
  void opened_at(int number, int like) {
    if (const std::uint32_t kind = kind_of(like); kind != 0) {
      open_[number] = kind;
    }
  }
  void closed(int number) { open_.erase(number); }
  std::uint32_t kind_of(int number) const {
    const auto found = open_.find(number);
    return found == open_.end() ? 0 : found->second;
  }

  /// How much is read or written: around what matters to pipes.
  std::size_t size() {
    switch (below(8)) {
      case 0:
        return below(3);
      case 1:
        return 8;
      case 2:
        return 4095 + below(3);
      case 3:
        return below(9000);
      case 4:
        return chance(4) ? 65535 + below(3) : 16384;
      default:
        return below(300);
    }
  }

  Step& step(std::int64_t number) {
    program_.emplace_back().number = number;
    count_ = 0;
    return program_.back();
  }
  Maker& with(std::uint64_t value) {
    program_.back().arguments[count_++] = {false, value};
    return *this;
  }
  Maker& with_descriptor(std::uint32_t kinds = kAnyKind) {
    return with(static_cast<std::uint64_t>(descriptor(kinds)));
  }
  Maker& with_place(std::size_t offset) {
    program_.back().arguments[count_++] = {true, offset};
    return *this;
  }
  /// A structure that the call reads.
  template <typename T>
  Maker& with_input(const T& value, std::size_t at = 0) {
    put(value, at);
    return with_place(kStructures + at);
  }
  template <typename T>
  void put(const T& value, std::size_t at) {
    Step::Input input;
    input.offset = kStructures + at;
    input.bytes.resize(sizeof value);
    std::memcpy(input.bytes.data(), &value, sizeof value);
    program_.back().inputs.push_back(std::move(input));
  }
  void put_pointer(std::uint64_t offset, std::size_t at) {
    put(offset, at);
    program_.back().inputs.back().is_pointer = true;
  }
  void output(std::size_t at, std::size_t bytes) {
    program_.back().outputs.emplace_back(kStructures + at, bytes);
  }
  void data(std::size_t bytes) {
    program_.back().data_bytes = bytes;
    program_.back().pattern = static_cast<std::uint8_t>(random_.bits());
  }
  void returns_data() { program_.back().returns_data = true; }

 private:
  RandomStream& random_;
  Program& program_;
  bool may_wait_;
  std::size_t count_ = 0;
  std::map<int, std::uint32_t> open_;
};

// --- reading and writing ---

void reading(Maker& maker) {
  if (maker.chance(8)) {
    const std::size_t first = maker.size();
    const std::size_t second = maker.size() % 20'000;
    maker.step(SYS_readv);
    maker.with_descriptor(kReadable).with_place(kStructures).with(maker.chance(10) ? 1 : 2);
    maker.put_pointer(0, 0);
    maker.put(first, 8);
    maker.put_pointer(first, 16);
    maker.put(second, 24);
    maker.returns_data();
    return;
  }
  maker.step(maker.chance(30) ? SYS_pread64 : SYS_read);
  maker.with_descriptor(kReadable).with_place(0).with(maker.size()).with(0);
  maker.returns_data();
}

void writing(Maker& maker) {
  const std::size_t size = maker.size();
  if (maker.chance(8)) {
    std::size_t second = maker.size() % 20'000;
    second += second == 8 ? 1 : 0;  // to an eventfd it would be a second number
    maker.step(SYS_writev);
    maker.with_descriptor(kWritable).with_place(kStructures).with(2);
    maker.put_pointer(0, 0);
    maker.put(size, 8);
    maker.put_pointer(size, 16);
    maker.put(second, 24);
    maker.data(size + second);
    return;
  }
  maker.step(maker.chance(40) ? SYS_pwrite64 : SYS_write);
  maker.with_descriptor(kWritable).with_place(0).with(size).with(0);
  maker.data(size);
}

// --- what is read from and written to ---

void pipes(Maker& maker) {
  maker.step(SYS_pipe2);
  const std::uint64_t flags = maker.may_wait() && maker.chance(4) ? 0 : std::uint64_t{O_NONBLOCK};
  const bool is_refused = maker.chance(60);
  maker.with_place(kStructures).with(is_refused ? 0x5 : flags);
  maker.output(0, 8);
  if (!is_refused) {
    maker.opened(kPipeOut);
    maker.opened(kPipeIn);
  }
}

void new_eventfd(Maker& maker) {
  maker.step(SYS_eventfd2);
  maker.with(maker.one_of<std::uint64_t>({0, 0, 1, 3, 0xffffffff}));
  maker.with((maker.may_wait() && maker.chance(3) ? 0 : EFD_NONBLOCK) |
             (maker.chance(3) ? EFD_SEMAPHORE : 0));
  maker.opened(kEvent);
}

void eventfds(Maker& maker) {
  if (maker.chance(6)) {
    new_eventfd(maker);
    return;
  }
  maker.step(SYS_write);
  maker.with_descriptor(kEvent).with_input(
      maker.one_of<std::uint64_t>({0, 1, 2, 7, ~std::uint64_t{0} - 1, ~std::uint64_t{0}}));
  maker.with(maker.chance(10) ? 4 : 8);
}

/// Only what has expired long ago, or never will.
void timers(Maker& maker) {
  switch (maker.below(4)) {
    case 0:
      maker.step(SYS_timerfd_create);
      maker.with(maker.one_of<std::uint64_t>({CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME}));
      maker.with(maker.may_wait() && maker.chance(3) ? 0 : TFD_NONBLOCK);
      maker.opened(kTimer);
      break;
    case 1: {
      itimerspec setting{};
      const bool is_past = maker.chance(2);
      setting.it_value.tv_nsec = is_past ? 1 : 0;
      if (maker.chance(10)) {
        setting.it_value.tv_nsec = 1'000'000'000;
      }
      maker.step(SYS_timerfd_settime);
      maker.with_descriptor(kTimer).with(maker.chance(20) ? 8 : TFD_TIMER_ABSTIME);
      maker.with_input(setting).with(0);
      break;
    }
    case 2:
      maker.step(SYS_timerfd_gettime);
      maker.with_descriptor(kTimer).with_place(kStructures);
      maker.output(0, sizeof(itimerspec));
      break;
    default:
      maker.step(SYS_read);
      maker.with_descriptor(kTimer).with_place(0).with(maker.chance(10) ? 7 : 8);
      maker.returns_data();
  }
}

void socket_pairs(Maker& maker) {
  maker.step(SYS_socketpair);
  const auto type =
      maker.one_of<std::uint64_t>({SOCK_STREAM, SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET});
  maker.with(AF_UNIX).with(
      type | (maker.may_wait() && maker.chance(4) ? 0U : std::uint64_t{SOCK_NONBLOCK}));
  maker.with(0).with_place(kStructures);
  maker.output(0, 8);
  maker.opened(kSocketPair);
  maker.opened(kSocketPair);
}

void socket_calls(Maker& maker) {
  switch (maker.below(6)) {
    case 0:
      maker.step(SYS_shutdown);
      maker.with_descriptor(kSocketPair).with(maker.below(4));
      break;
    case 1:
    case 2: {
      const std::size_t size = maker.below(1200);
      maker.step(SYS_sendto);
      maker.with_descriptor(kSocketPair).with_place(0).with(size);
      maker.with(maker.one_of<std::uint64_t>({MSG_NOSIGNAL, MSG_DONTWAIT | MSG_NOSIGNAL}));
      maker.with(0).with(0);
      maker.data(size);
      break;
    }
    case 3:
    case 4:
      maker.step(SYS_recvfrom);
      maker.with_descriptor(kSocketPair).with_place(0).with(maker.below(1500));
      maker.with(maker.one_of<std::uint64_t>({0, MSG_DONTWAIT, MSG_PEEK | MSG_DONTWAIT}));
      maker.with(0).with(0);
      maker.returns_data();
      break;
    default:
      maker.step(SYS_getsockopt);
      maker.with_descriptor(kSocketPair).with(SOL_SOCKET);
      maker.with(maker.one_of<std::uint64_t>({SO_TYPE, SO_ERROR, SO_ACCEPTCONN, SO_DOMAIN}));
      maker.with_place(kStructures + 16).with_input(std::uint32_t{4});
      maker.output(0, 4);
      maker.output(16, 4);
  }
}

// --- descriptors ---

void doubling(Maker& maker) {
  const int number = maker.descriptor();
  const std::uint32_t kind = maker.kind_of(number);
  switch (maker.below(3)) {
    case 0:
      maker.step(SYS_dup);
      maker.with(static_cast<std::uint64_t>(number));
      if (kind != 0) {
        maker.opened(kind);
      }
      break;
    case 1: {
      const int to = 3 + static_cast<int>(maker.below(12));
      maker.step(SYS_dup3);
      maker.with(static_cast<std::uint64_t>(number)).with(static_cast<std::uint64_t>(to));
      maker.with(maker.chance(3) ? O_CLOEXEC : 0);
      maker.opened_at(to, number);
      break;
    }
    default: {
      const auto least = maker.one_of<int>({3, 5, 9, 12, -1});
      maker.step(SYS_fcntl);
      maker.with(static_cast<std::uint64_t>(number));
      maker.with(maker.one_of<std::uint64_t>({F_DUPFD, F_DUPFD_CLOEXEC}));
      maker.with(static_cast<std::uint64_t>(least));
      if (kind != 0 && least >= 0) {
        maker.opened(kind, least);
      }
    }
  }
}

void flags(Maker& maker) {
  switch (maker.below(4)) {
    case 0:
      maker.step(SYS_fcntl);
      maker.with_descriptor();
      maker.with(maker.one_of<std::uint64_t>({F_GETFL, F_GETFD, F_GETPIPE_SZ, 777}));
      break;
    case 1:
      maker.step(SYS_fcntl);
      maker.with_descriptor();
      if (maker.chance(2)) {
        maker.with(F_SETFL).with((maker.may_wait() && maker.chance(3) ? 0 : O_NONBLOCK) |
                                 (maker.chance(4) ? O_APPEND : 0) | (maker.chance(4) ? O_RDWR : 0));
      } else if (maker.chance(2)) {
        maker.with(F_SETFD).with(maker.below(2));
      } else {
        maker.with(F_SETPIPE_SZ).with(maker.one_of<std::uint64_t>({1, 4096, 8192, 20'000, 65536}));
      }
      break;
    case 2:
      maker.step(SYS_ioctl);
      maker.with_descriptor();
      if (maker.chance(2)) {
        maker.with(maker.one_of<std::uint64_t>({FIOCLEX, FIONCLEX})).with(0);
      } else {
        maker.with(FIONBIO).with_input(
            std::uint32_t{maker.may_wait() && maker.chance(3) ? 0U : 1U});
      }
      break;
    default:
      maker.step(SYS_ioctl);
      maker.with_descriptor();
      maker.with(FIONREAD).with_place(kStructures);
      maker.output(0, 4);
  }
}

void closing(Maker& maker) {
  if (maker.chance(6)) {
    const std::uint64_t first = 3 + maker.below(12);
    maker.step(SYS_close_range);
    maker.with(first).with(first + maker.below(4) - (maker.chance(10) ? 2 : 0));
    maker.with(maker.one_of<std::uint64_t>({0, 4, 4, 4, 0x10}));
    return;
  }
  const int number = maker.descriptor();
  maker.step(SYS_close);
  maker.with(static_cast<std::uint64_t>(number));
  maker.closed(number);
}

// --- waiting ---

void polling(Maker& maker) {
  constexpr std::size_t kMostEntries = 6;
  const std::size_t count = maker.below(kMostEntries + 1);
  maker.step(SYS_poll);
  maker.with_place(kStructures).with(count).with(0);
  for (std::size_t index = 0; index < count; ++index) {
    // descriptor 0 is /dev/null
    const pollfd entry{maker.chance(20) ? 0 : maker.descriptor(),
                       maker.one_of<std::int16_t>(
                           {POLLIN, POLLOUT, POLLIN | POLLOUT, 0, POLLIN | POLLRDHUP, POLLPRI}),
                       0x7};
    maker.put(entry, index * sizeof entry);
  }
  maker.output(0, count * sizeof(pollfd));
}

void selecting(Maker& maker) {
  maker.step(SYS_pselect6);
  maker.with(maker.below(16));
  for (std::size_t set = 0; set < 3; ++set) {
    std::uint64_t bits = 0;
    for (std::uint64_t count = maker.below(3); count > 0; --count) {
      bits |= std::uint64_t{1} << (maker.descriptor() & 15);
    }
    if (maker.chance(4)) {
      maker.with(0);
    } else {
      maker.with_input(bits, set * 8);
      maker.output(set * 8, 8);
    }
  }
  maker.with_input(timespec{}, 64).with(0);
}

void new_epoll(Maker& maker) {
  maker.step(SYS_epoll_create1);
  maker.with(0);
  maker.opened(kEpoll);
}

void epolls(Maker& maker) {
  constexpr std::uint32_t kEdge = static_cast<std::uint32_t>(EPOLLET);
  switch (maker.below(8)) {
    case 0:
      if (maker.chance(6)) {
        new_epoll(maker);
      }
      break;
    case 1:
    case 2:
    case 3: {
      epoll_event event{};
      event.events = maker.one_of<std::uint32_t>(
                         {EPOLLIN, EPOLLOUT, EPOLLIN | EPOLLOUT, 0, EPOLLIN | EPOLLRDHUP}) |
                     maker.one_of<std::uint32_t>(
                         {0, 0, kEdge, EPOLLONESHOT, kEdge | EPOLLONESHOT, EPOLLEXCLUSIVE});
      event.data.u64 = maker.below(1000);
      maker.step(SYS_epoll_ctl);
      maker.with_descriptor(kEpoll);
      maker.with(maker.one_of<std::uint64_t>(
          {EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL, 9}));
      maker.with_descriptor(maker.chance(8) ? kAnyKind : kReadable | kWritable);
      maker.with_input(event);
      break;
    }
    default: {
      const std::uint64_t room = maker.chance(20) ? 0 : 1 + maker.below(4);
      maker.step(SYS_epoll_wait);
      maker.with_descriptor(kEpoll).with_place(kStructures).with(room);
      maker.with(maker.may_wait() && maker.chance(10) ? ~std::uint64_t{0} : 0);
      maker.put(std::array<std::uint8_t, 4 * sizeof(epoll_event)>{}, 0);
      maker.output(0, 4 * sizeof(epoll_event));
    }
  }
}

struct Family {
  const char* name;
  void (*begin)(Maker&);  ///< a step that most programs begin with; may be null
  void (*add)(Maker&);
  std::uint64_t weight;
};
constexpr Family kFamilies[] = {
    {"read", nullptr, reading, 8},
    {"write", nullptr, writing, 8},
    {"pipe", pipes, pipes, 1},
    {"eventfd", new_eventfd, eventfds, 3},
    {"timerfd", nullptr, timers, 2},
    {"dup", nullptr, doubling, 1},
    {"flags", nullptr, flags, 2},
    {"close", nullptr, closing, 1},
    {"poll", nullptr, polling, 4},
    {"select", nullptr, selecting, 2},
    {"epoll", new_epoll, epolls, 10},
    {"socketpair", socket_pairs, socket_pairs, 1},
    {"socket", nullptr, socket_calls, 4},
};

}  // namespace

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    names.emplace_back(family.name);
  }
  return names;
}

Program random_program(RandomStream& random, std::uint64_t families, bool may_wait) {
  constexpr std::uint64_t kMostSteps = 80;
  Program program;
  Maker maker(random, program, may_wait);
  std::vector<const Family*> choice;
  std::vector<const Family*> beginnings;
  std::size_t index = 0;
  for (const Family& family : kFamilies) {
    if (((families >> index++) & 1U) != 0) {
      choice.insert(choice.end(), family.weight, &family);
      if (family.begin != nullptr) {
        beginnings.push_back(&family);
      }
    }
  }
  for (const Family* family : beginnings) {
    for (std::uint64_t times = maker.below(3); times > 0; --times) {
      family->begin(maker);
    }
  }
  for (std::uint64_t steps = 5 + maker.below(kMostSteps - 5); steps > 0; --steps) {
    choice[maker.below(choice.size())]->add(maker);
  }
  return program;
}

std::string describe_step(const Step& step) {
  std::string text = name_of_call(step.number) + '(';
  for (std::size_t index = 0; index < step.arguments.size(); ++index) {
    const Argument& argument = step.arguments[index];
    text += index == 0 ? "" : ", ";
    if (argument.is_place) {
      text += fmt::format("memory+{}", argument.value);
    } else if (argument.value > 0xffffff) {
      text += fmt::format("{:#x}", argument.value);
    } else {
      text += fmt::format("{}", argument.value);
    }
  }
  text += ')';
  for (const Step::Input& input : step.inputs) {
    text += fmt::format(" [{}]={:02x}", input.offset - kDataBytes, fmt::join(input.bytes, ""));
  }
  return text;
}

}  // namespace longarm::programs
