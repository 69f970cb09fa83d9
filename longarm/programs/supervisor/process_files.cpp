// SPDX-License-Identifier: Apache-2.0
// Reads and takes apart what /proc says about processes and threads.
#include "longarm/programs/supervisor/process_files.h"

#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include "longarm/core/hash.h"
#include "longarm/system/descriptor.h"

namespace longarm::programs {
namespace {

/// The rest of the line that begins with `key`.
std::string_view line_of(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.substr(0, key.size()) == key) {
      const std::size_t value = line.find_first_not_of(" \t", key.size());
      return value == std::string_view::npos ? std::string_view() : line.substr(value);
    }
    at = end + 1;
  }
  return {};
}

template <typename T>
T number_in(std::string_view text, int base = 10) {
  T number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

std::string_view last_word(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\n");
  if (end == std::string_view::npos) {
    return {};
  }
  text = text.substr(0, end + 1);
  const std::size_t space = text.find_last_of(" \t");
  return space == std::string_view::npos ? text : text.substr(space + 1);
}

/// Behind the name in parentheses, which may hold anything.
std::string_view after_name(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  return end == std::string_view::npos || end + 2 > stat.size() ? std::string_view()
                                                                : stat.substr(end + 2);
}

}  // namespace

std::string read_whole_file(const std::string& path) {
  const system::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t count = file.is_open() ? ::read(file.number(), piece.data(), piece.size()) : 0;
    if (count <= 0) {
      return text;
    }
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

std::optional<TaskStatus> read_task_status(pid_t thread) {
  const std::string text = read_whole_file(fmt::format("/proc/{}/status", thread));
  if (text.empty()) {
    return std::nullopt;
  }
  TaskStatus status;
  const std::string_view state = line_of(text, "State:");
  status.state = state.empty() ? '?' : state.front();
  status.parent = number_in<pid_t>(line_of(text, "PPid:"));
  status.process = number_in<pid_t>(line_of(text, "Tgid:"));
  status.is_traced = number_in<pid_t>(line_of(text, "TracerPid:")) != 0;
  // ours, that of the programs' namespace, and those of namespaces within it
  std::istringstream ids{std::string(line_of(text, "NSpid:"))};
  pid_t here = 0;
  ids >> here >> status.inner_id;
  status.signals.pending = number_in<std::uint64_t>(line_of(text, "SigPnd:"), 16) |
                           number_in<std::uint64_t>(line_of(text, "ShdPnd:"), 16);
  status.signals.blocked = number_in<std::uint64_t>(line_of(text, "SigBlk:"), 16);
  status.signals.ignored = number_in<std::uint64_t>(line_of(text, "SigIgn:"), 16);
  status.signals.caught = number_in<std::uint64_t>(line_of(text, "SigCgt:"), 16);
  return status;
}

std::optional<char> read_task_state(pid_t process, pid_t thread) {
  const std::string text = read_whole_file(fmt::format("/proc/{}/task/{}/stat", process, thread));
  const std::string_view rest = after_name(text);
  return rest.empty() ? std::nullopt : std::optional<char>(rest.front());
}

std::optional<int> read_exit_status(pid_t process) {
  const std::string text = read_whole_file(fmt::format("/proc/{}/stat", process));
  return text.empty() ? std::nullopt : std::optional<int>(number_in<int>(last_word(text)));
}

std::optional<Duration> read_processor_time(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::vector<pid_t> read_threads(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
    threads.push_back(number_in<pid_t>(entry.path().filename().native()));
  }
  return threads;
}

std::vector<pid_t> read_children(pid_t process, pid_t thread) {
  std::istringstream words(
      read_whole_file(fmt::format("/proc/{}/task/{}/children", process, thread)));
  std::vector<pid_t> children;
  for (pid_t child = 0; words >> child;) {
    children.push_back(child);
  }
  return children;
}

AuxiliaryVector read_auxiliary_vector(pid_t process) {
  const std::string bytes = read_whole_file(fmt::format("/proc/{}/auxv", process));
  AuxiliaryVector vector;
  for (std::size_t at = 0; at + sizeof(Elf64_auxv_t) <= bytes.size(); at += sizeof(Elf64_auxv_t)) {
    Elf64_auxv_t entry;
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    if (entry.a_type == AT_SYSINFO_EHDR) {
      vector.vdso = entry.a_un.a_val;
    } else if (entry.a_type == AT_RANDOM) {
      vector.random = entry.a_un.a_val;
    }
  }
  return vector;
}

std::optional<Mapping> find_mapping(pid_t process, std::uint64_t address) {
  const std::string text = read_whole_file(fmt::format("/proc/{}/maps", process));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // 7ffff7dd3000-7ffff7df9000 r--p 00000000 fe:00 331985   /usr/lib/x86_64-linux-gnu/libc.so.6
    Mapping mapping;
    std::uint64_t end = 0;
    const char* last = line.data() + line.size();
    auto next = std::from_chars(line.data(), last, mapping.begin, 16);
    next = std::from_chars(next.ptr + 1, last, end, 16);
    if (next.ec != std::errc() || address < mapping.begin || address >= end) {
      continue;
    }
    std::istringstream words(std::string(next.ptr, last));
    std::string rights;
    std::string offset;
    std::string device;
    std::string inode;
    words >> rights >> offset >> device >> inode >> std::ws;
    std::getline(words, mapping.name);
    mapping.is_shared = rights.size() == 4 && rights[3] == 's';
    mapping.offset = number_in<std::uint64_t>(offset, 16);
    if (inode != "0") {
      Hash file;
      file.add(device);
      file.add(inode);
      mapping.file = file.value();
    }
    return mapping;
  }
  return std::nullopt;
}

std::string describe_place(pid_t process, std::uint64_t address) {
  const std::optional<Mapping> mapping = find_mapping(process, address);
  if (!mapping || mapping->name.empty()) {
    return fmt::format("{:#x}", address);
  }
  const std::string name = std::filesystem::path(mapping->name).filename();
  return fmt::format("{}+{:#x}", name, address - mapping->begin + mapping->offset);
}

}  // namespace longarm::programs
