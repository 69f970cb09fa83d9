// SPDX-License-Identifier: Apache-2.0
// Writes Markdown: a section for each kind, with what it offers, asks for, suffers and is told.
#include "apps/longarm/actors_page.h"

#include <vector>

#include <fmt/format.h>

#include "longarm/config/config_writer.h"
#include "longarm/core/suggest.h"

namespace longarm::app {
namespace {

/// What a cell of a Markdown table can hold.
std::string cell_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string reach_text(const cell::Interface& what) {
  return what.reach == cell::Reach::kBody ? "local" : "over the network";
}

std::string kind_text(const std::string& kind, const std::string& summary,
                      cell::ActorModel& model) {
  std::string text = fmt::format("\n## {}\n\n{}.\n", kind, summary);
  std::vector<std::string> offers;
  for (const cell::Interface& each : model.offers()) {
    offers.push_back(fmt::format("{} ({})", each.name, reach_text(each)));
  }
  text += fmt::format("\n- Offers: {}.\n", offers.empty() ? "nothing" : join(offers));
  std::vector<std::string> asks;
  for (const cell::WishInfo& wish : model.wishes()) {
    asks.push_back(fmt::format("`{}`: {} ({})", wish.key, wish.what.name, reach_text(wish.what)));
  }
  text += fmt::format("- Needs: {}.\n", asks.empty() ? "nothing" : join(asks, "; "));
  std::vector<std::string> failures;
  for (const cell::FailureVerb& verb : model.failures()) {
    failures.push_back(fmt::format("`{}` ({})", failure_usage(verb, "NAME"), verb.meaning));
  }
  text += fmt::format("- Can fail: {}.\n", failures.empty() ? "no" : join(failures, "; "));

  config::ConfigWriter writer;
  model.list_fields(writer);
  text += "\n| key | default | meaning |\n|---|---|---|\n";
  for (const config::ConfigWriter::Line& line : writer.lines()) {
    const bool is_empty = line.value.empty() || line.value == "\"\"" || line.value == "[]";
    text +=
        fmt::format("| `{}` | {} | {}{} |\n", line.key, is_empty ? "" : "`" + line.value + "`",
                    cell_text(line.doc), line.choices.empty() ? "" : "; one of " + line.choices);
  }
  return text;
}

}  // namespace

std::string failure_usage(const cell::FailureVerb& verb, const std::string& subject) {
  std::string usage = fmt::format("TIME {} {}", subject, verb.verb);
  for (const cell::FailureVerb::Value value : verb.values) {
    usage += value == cell::FailureVerb::Value::kTime ? " TIME" : " METRES";
  }
  if (verb.end == cell::FailureVerb::End::kNever) {
    return usage;
  }
  return usage + (verb.end == cell::FailureVerb::End::kMaybe ? " [for TIME]" : " for TIME");
}

std::string actors_page(const cell::ActorRegistry& kinds) {
  std::string text =
      "# Kinds of actors\n"
      "\n"
      "The output of `longarm keys actors`. Every actor has a `kind`, and a `host` if it runs on a "
      "computer;\n"
      "[cells.md](../how-to/cells.md) explains how actors are combined.\n";
  for (const std::string& kind : kinds.names()) {
    text += kind_text(kind, kinds.summary(kind), *kinds.make(kind));
  }
  return text;
}

}  // namespace longarm::app
