// SPDX-License-Identifier: Apache-2.0
// Requests against the ontology.
#include "labs/kitting/request.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::kitting {
namespace {

/// "2 medium_gear" or "medium_gear"; kinds go by either of their names.
std::optional<PartCount> read_count(const std::string& text, const Ontology& ontology) {
  PartCount out{text, 1};
  if (const std::size_t space = text.find(' '); space != std::string::npos) {
    const char* end = text.data() + space;
    const auto [stop, error] = std::from_chars(text.data(), end, out.count);
    if (error != std::errc() || stop != end || out.count < 1) {
      return std::nullopt;
    }
    const std::size_t word = text.find_first_not_of(' ', space);
    out.part = word == std::string::npos ? "" : text.substr(word);
  }
  for (const PartKind& part : ontology.parts) {
    if (out.part == part.name || out.part == part.objects) {
      out.part = part.name;
      return out;
    }
  }
  return std::nullopt;
}

/// One of each kind of part that the tray has slots for, with how many.
std::vector<PartCount> slots_of(const TrayKind& tray) {
  std::vector<PartCount> counts;
  for (const SlotKind& slot : tray.slots) {
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](const PartCount& c) { return c.part == slot.part; });
    if (found == counts.end()) {
      counts.push_back({slot.part, 1});
    } else {
      ++found->count;
    }
  }
  return counts;
}

void check_contents(const KitRequest& kit, const TrayKind& tray, const Ontology& ontology,
                    std::vector<RequestRemark>& remarks) {
  const std::string key = "kits." + kit.name + ".contents";
  std::vector<std::string> plain;
  for (const PartKind& part : ontology.parts) {
    plain.push_back(part.objects);
  }
  std::vector<PartCount> room = slots_of(tray);
  for (const std::string& text : kit.contents) {
    const std::optional<PartCount> asked = read_count(text, ontology);
    if (!asked) {
      remarks.push_back({key, fmt::format("'{}' is not a count of a known part", text),
                         fmt::format("write '2 {}'; parts are: {}",
                                     plain.empty() ? "gear" : plain[0], join(plain))});
      continue;
    }
    const auto found = std::find_if(room.begin(), room.end(),
                                    [&](const PartCount& c) { return c.part == asked->part; });
    const std::int64_t free = found == room.end() ? 0 : found->count;
    if (asked->count > free) {
      remarks.push_back({key,
                         fmt::format("a kit {} has room for {} more of {}, not {}", kit.name, free,
                                     asked->part, asked->count),
                         "request fewer parts, or another kit"});
      continue;
    }
    found->count -= asked->count;
  }
}

}  // namespace

void list_fields(Fields& fields, Request& request) {
  named(fields, "kits", "requested kits, by kind", request.kits,
        [](Fields& group, KitRequest& kit) {
          group.field("count", kit.count, "number of kits");
          group.field("contents", kit.contents,
                      "counts of parts, such as '2 small_gear'; default: every slot is filled");
          if (kit.count < 0 || kit.count > 1000) {
            group.reject("count", "the number of kits must be from 0 to 1000", "request fewer");
          }
        });
}

std::vector<RequestRemark> check_request(const Request& request, const Ontology& ontology) {
  std::vector<std::string> kits;
  for (const TrayKind& tray : ontology.trays) {
    if (tray.is_kit()) {
      kits.push_back(tray.kit);
    }
  }
  std::vector<RequestRemark> remarks;
  for (const KitRequest& kit : request.kits) {
    const TrayKind* tray = ontology.find_kit(kit.name);
    if (tray == nullptr) {
      remarks.push_back(
          {"kits." + kit.name, fmt::format("unknown kit '{}'", kit.name), suggest(kit.name, kits)});
      continue;
    }
    check_contents(kit, *tray, ontology, remarks);
  }
  return remarks;
}

std::vector<PartCount> contents_of(const KitRequest& kit, const Ontology& ontology) {
  const TrayKind* tray = ontology.find_kit(kit.name);
  if (tray == nullptr) {
    return {};
  }
  std::vector<PartCount> counts = slots_of(*tray);
  if (kit.contents.empty()) {
    return counts;
  }
  for (PartCount& each : counts) {
    each.count = 0;
  }
  for (const std::string& text : kit.contents) {
    const std::optional<PartCount> asked = read_count(text, ontology);
    for (PartCount& each : counts) {
      each.count += asked && asked->part == each.part ? asked->count : 0;
    }
  }
  std::erase_if(counts, [](const PartCount& each) { return each.count == 0; });
  return counts;
}

}  // namespace longarm::kitting
