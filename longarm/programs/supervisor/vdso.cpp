// SPDX-License-Identifier: Apache-2.0
// The code that programs read clocks with instead of the vDSO's, and where it goes.
#include "longarm/programs/supervisor/vdso.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

// Position-independent. The words at the end are read, and written from outside between any two
// instructions of the program. Clocks that they do not tell make a system call (228
// clock_gettime, 96 gettimeofday).
//   0 CLOCK_REALTIME, 5 CLOCK_REALTIME_COARSE: mask 0x21
//   1 CLOCK_MONOTONIC, 4 …_RAW, 6 …_COARSE, 7 CLOCK_BOOTTIME: mask 0xd2
asm(R"(
  .section .rodata
  .balign 16
longarm_vdso_begin:
longarm_vdso_clock_gettime:
  cmpl $7, %edi
  ja 2f
  movl $1, %eax
  movl %edi, %ecx
  shll %cl, %eax
  testl $0x21, %eax
  jnz 1f
  testl $0xd2, %eax
  jz 2f
  movq longarm_vdso_time+24(%rip), %rax
  movq longarm_vdso_time+32(%rip), %rdx
  jmp 3f
1:
  movq longarm_vdso_time(%rip), %rax
  movq longarm_vdso_time+8(%rip), %rdx
3:
  movq %rax, (%rsi)
  movq %rdx, 8(%rsi)
  xorl %eax, %eax
  ret
2:
  movl $228, %eax
  syscall
  ret
longarm_vdso_gettimeofday:
  testq %rsi, %rsi
  jnz 4f
  testq %rdi, %rdi
  jz 5f
  movq longarm_vdso_time(%rip), %rax
  movq longarm_vdso_time+16(%rip), %rdx
  movq %rax, (%rdi)
  movq %rdx, 8(%rdi)
5:
  xorl %eax, %eax
  ret
4:
  movl $96, %eax
  syscall
  ret
longarm_vdso_time_of_day:
  movq longarm_vdso_time(%rip), %rax
  testq %rdi, %rdi
  jz 6f
  movq %rax, (%rdi)
6:
  ret
longarm_vdso_getcpu:
  xorl %eax, %eax
  testq %rdi, %rdi
  jz 7f
  movl %eax, (%rdi)
7:
  testq %rsi, %rsi
  jz 8f
  movl %eax, (%rsi)
8:
  ret
longarm_vdso_getrandom:
  movl $-38, %eax
  ret
  .balign 8
longarm_vdso_time:
  .fill 40, 1, 0
longarm_vdso_end:
  .text
)");

extern "C" {
extern const std::uint8_t longarm_vdso_begin[];
extern const std::uint8_t longarm_vdso_clock_gettime[];
extern const std::uint8_t longarm_vdso_gettimeofday[];
extern const std::uint8_t longarm_vdso_time_of_day[];
extern const std::uint8_t longarm_vdso_getcpu[];
extern const std::uint8_t longarm_vdso_getrandom[];
extern const std::uint8_t longarm_vdso_time[];
extern const std::uint8_t longarm_vdso_end[];
}

namespace longarm::programs {
namespace {

struct Function {
  std::string_view name;
  const std::uint8_t* replacement;
  int call;  // -1: none is made
};

const std::array<Function, 5>& functions() {
  // getrandom: an error makes the C library use the system call
  static const std::array<Function, 5> all{
      {{"__vdso_clock_gettime", longarm_vdso_clock_gettime, SYS_clock_gettime},
       {"__vdso_gettimeofday", longarm_vdso_gettimeofday, SYS_gettimeofday},
       {"__vdso_time", longarm_vdso_time_of_day, SYS_time},
       {"__vdso_getcpu", longarm_vdso_getcpu, -1},
       {"__vdso_getrandom", longarm_vdso_getrandom, -1}}};
  return all;
}

constexpr std::uint64_t kJumpSize = 16;  // room for whatever stands at a function's beginning

struct Symbol {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class Image {
 public:
  explicit Image(const std::uint8_t* base) : base_(base) {
    const auto& header = at<Elf64_Ehdr>(0);
    for (int i = 0; i < header.e_phnum; ++i) {
      const auto& segment =
          at<Elf64_Phdr>(header.e_phoff + static_cast<std::uint64_t>(i) * sizeof(Elf64_Phdr));
      if (segment.p_type == PT_DYNAMIC) {
        read_dynamic(segment.p_offset);
      }
    }
  }

  std::optional<Symbol> find(std::string_view name) const {
    for (std::uint64_t i = 0; symbols_ != 0 && i < count_; ++i) {
      const auto& symbol = at<Elf64_Sym>(symbols_ + i * sizeof(Elf64_Sym));
      const char* text = reinterpret_cast<const char*>(base_ + strings_ + symbol.st_name);
      if (symbol.st_shndx != SHN_UNDEF && name == text) {
        return Symbol{symbol.st_value, symbol.st_size};
      }
    }
    return std::nullopt;
  }

 private:
  template <typename T>
  const T& at(std::uint64_t offset) const {
    return *reinterpret_cast<const T*>(base_ + offset);
  }

  void read_dynamic(std::uint64_t offset) {
    for (;; offset += sizeof(Elf64_Dyn)) {
      const auto& entry = at<Elf64_Dyn>(offset);
      // the C library makes addresses of the offsets in some of its versions
      const std::uint64_t base = reinterpret_cast<std::uint64_t>(base_);
      const std::uint64_t where =
          entry.d_un.d_ptr >= base ? entry.d_un.d_ptr - base : entry.d_un.d_ptr;
      switch (entry.d_tag) {
        case DT_NULL:
          return;
        case DT_SYMTAB:
          symbols_ = where;
          break;
        case DT_STRTAB:
          strings_ = where;
          break;
        case DT_HASH:
          count_ = at<std::uint32_t>(where + 4);
          break;
        case DT_GNU_HASH:
          count_ = count_ == 0 ? count_by_gnu_hash(where) : count_;
          break;
        default:
          break;
      }
    }
  }

  std::uint64_t count_by_gnu_hash(std::uint64_t table) const {
    const std::uint64_t buckets = at<std::uint32_t>(table);
    const std::uint64_t first = at<std::uint32_t>(table + 4);
    const std::uint64_t bloom = at<std::uint32_t>(table + 8);
    const std::uint64_t heads = table + 16 + bloom * 8;
    const std::uint64_t chains = heads + buckets * 4;
    std::uint64_t count = first;
    for (std::uint64_t i = 0; i < buckets; ++i) {
      for (std::uint64_t symbol = at<std::uint32_t>(heads + i * 4); symbol >= first; ++symbol) {
        count = std::max(count, symbol + 1);
        if ((at<std::uint32_t>(chains + (symbol - first) * 4) & 1U) != 0) {
          break;
        }
      }
    }
    return count;
  }

  const std::uint8_t* base_;
  std::uint64_t symbols_ = 0;
  std::uint64_t strings_ = 0;
  std::uint64_t count_ = 0;
};

std::vector<std::uint8_t> jump(std::uint64_t from, std::uint64_t to) {
  const auto distance = static_cast<std::int32_t>(static_cast<std::int64_t>(to - from) - 5);
  std::vector<std::uint8_t> bytes(5, 0xe9);
  std::memcpy(bytes.data() + 1, &distance, sizeof distance);
  return bytes;
}

/// mov $number, %eax; syscall; ret
std::vector<std::uint8_t> system_call(int number) {
  std::vector<std::uint8_t> bytes(5, 0xb8);
  std::memcpy(bytes.data() + 1, &number, sizeof number);
  bytes.insert(bytes.end(), {0x0f, 0x05, 0xc3});
  return bytes;
}

bool write_all(int memory, std::uint64_t address, const void* bytes, std::size_t size) {
  return ::pwrite(memory, bytes, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

}  // namespace

Result<Vdso> Vdso::find() {
  Vdso vdso;
  const auto base = static_cast<std::uint64_t>(getauxval(AT_SYSINFO_EHDR));
  if (base == 0) {
    return vdso;
  }
  const Image image(reinterpret_cast<const std::uint8_t*>(base));
  const auto size = static_cast<std::uint64_t>(longarm_vdso_end - longarm_vdso_begin);
  // behind the beginning of the longest function that is not needed any more
  std::uint64_t code = 0;
  std::uint64_t most = kJumpSize + 7 + size;  // 7: it is aligned
  for (const Function& function : functions()) {
    const std::optional<Symbol> symbol = image.find(function.name);
    if (symbol && symbol->size > most) {
      most = symbol->size;
      code = symbol->offset + kJumpSize;
    }
  }
  if (code == 0) {
    return Error{"the vDSO of this machine's kernel has no function with room for " +
                 std::to_string(size) + " bytes of ours"};
  }
  code = (code + 7) / 8 * 8;
  vdso.patches_.push_back({code, {longarm_vdso_begin, longarm_vdso_end}});
  vdso.time_ = code + static_cast<std::uint64_t>(longarm_vdso_time - longarm_vdso_begin);
  for (const Function& function : functions()) {
    if (const std::optional<Symbol> symbol = image.find(function.name)) {
      const auto entry = static_cast<std::uint64_t>(function.replacement - longarm_vdso_begin);
      vdso.patches_.push_back({symbol->offset, jump(symbol->offset, code + entry)});
      if (function.call >= 0) {
        vdso.calls_.push_back({symbol->offset, system_call(function.call)});
      }
    }
  }
  return vdso;
}

bool Vdso::replace(int memory, std::uint64_t base) const {
  return std::all_of(patches_.begin(), patches_.end(),
                     [&](const Patch& patch) {
                       return write_all(memory, base + patch.offset, patch.bytes.data(),
                                        patch.bytes.size());
                     }) &&
         is_replaced(memory, base);
}

bool Vdso::is_replaced(int memory, std::uint64_t base) const {
  std::vector<std::uint8_t> bytes(kJumpSize);
  const Patch& code = patches_.front();
  return ::pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(base + code.offset)) ==
             static_cast<ssize_t>(bytes.size()) &&
         std::equal(bytes.begin(), bytes.end(), code.bytes.begin());
}

bool Vdso::write_time(int memory, std::uint64_t base, const VdsoTime& time) const {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t real = time.real.count();
  const std::int64_t monotonic = time.monotonic.count();
  // towards the past, as Linux has it: nanoseconds are never below zero
  const auto seconds = [](std::int64_t all) { return all / kSecond - (all % kSecond < 0 ? 1 : 0); };
  const auto rest = [&](std::int64_t all) { return all - seconds(all) * kSecond; };
  const std::array<std::int64_t, 5> words{seconds(real), rest(real), rest(real) / 1000,
                                          seconds(monotonic), rest(monotonic)};
  return write_all(memory, base + time_, words.data(), sizeof words);
}

bool Vdso::make_readings_calls(int memory, std::uint64_t base) const {
  return std::all_of(calls_.begin(), calls_.end(), [&](const Patch& patch) {
    return write_all(memory, base + patch.offset, patch.bytes.data(), patch.bytes.size());
  });
}

}  // namespace longarm::programs
