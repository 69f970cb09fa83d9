// SPDX-License-Identifier: Apache-2.0
// Unwinds the stack of a thread with elfutils, from the tables that all programs of Debian have.
#include "longarm/programs/supervisor/stack.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "longarm/programs/supervisor/process_files.h"

namespace longarm::programs {
namespace {

constexpr int kMostFrames = 16;

struct Frames {
  Dwfl* session = nullptr;
  pid_t process = 0;
  int count = 0;
  std::string text;
};

/// Symbols of the program's own files are enough; nothing is looked for elsewhere.
int find_no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                       GElf_Word, char**) {
  return -1;
}

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

int take_frame(Dwfl_Frame* frame, void* all) {
  auto& frames = *static_cast<Frames*>(all);
  Dwarf_Addr at = 0;
  bool is_innermost = false;
  if (frames.count == kMostFrames || !dwfl_frame_pc(frame, &at, &is_innermost)) {
    frames.text += frames.count == kMostFrames ? ", …" : "";
    return DWARF_CB_ABORT;
  }
  // a return address is behind the call, perhaps in the next function
  const Dwarf_Addr inside = is_innermost ? at : at - 1;
  frames.text +=
      fmt::format("{}{}", frames.count == 0 ? "" : ", ", describe_place(frames.process, at));
  Dwfl_Module* module = dwfl_addrmodule(frames.session, inside);
  if (const char* name = module == nullptr ? nullptr : dwfl_module_addrname(module, inside)) {
    frames.text += fmt::format(" ({})", readable(name));
  }
  ++frames.count;
  return DWARF_CB_OK;
}

std::string unwind(pid_t process, pid_t thread) {
  const Dwfl_Callbacks callbacks{dwfl_linux_proc_find_elf, find_no_debug_file, nullptr, nullptr};
  const std::unique_ptr<Dwfl, decltype(&dwfl_end)> session(dwfl_begin(&callbacks), &dwfl_end);
  Frames frames{session.get(), process, 0, {}};
  if (session && dwfl_linux_proc_report(session.get(), process) == 0 &&
      dwfl_report_end(session.get(), nullptr, nullptr) == 0 &&
      dwfl_linux_proc_attach(session.get(), process, true) == 0) {
    dwfl_getthread_frames(session.get(), thread, take_frame, &frames);
  }
  return frames.count > 0 ? frames.text : std::string("an unknown place");
}

}  // namespace

std::string describe_stack(pid_t process, pid_t thread) {
  if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
    return "a place unknown because a debugger has it";
  }
  std::string text = "an unknown place";
  if (::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0 &&
      ::waitpid(thread, nullptr, __WALL) == thread) {
    text = unwind(process, thread);
  }
  ::ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
  return text;
}

}  // namespace longarm::programs
