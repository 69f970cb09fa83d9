// SPDX-License-Identifier: Apache-2.0
// Bytes to a CRCL server's door, by the network or directly, and documents back.
#include "longarm/actors/ros_crcl.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/door_interface.h"
#include "longarm/core/text.h"
#include "longarm/protocols/crcl/client.h"
#include "longarm/protocols/crcl/codec.h"
#include "longarm/protocols/crcl/framing.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
namespace crcl = protocols::crcl;
using protocols::ConnectionId;

// clients outside and across the network have smaller ones
constexpr std::uint32_t kFirstBeside = 3u << 30;
// a lost connection is not dialled more often
constexpr Duration kRedial = 1s;

/// Of one whole document, by itself; empty: it is one.
std::string what_is_wrong(const std::string& text) {
  crcl::Framing framing;
  framing.feed(std::string_view(text).substr(0, text.find_last_not_of(" \t\r\n") + 1));
  const Result<std::optional<std::string>> document = framing.next();
  if (!document) {
    return document.error().message;
  }
  if (!document->has_value()) {
    return "'text' is not a whole XML document";
  }
  const crcl::DocumentKind kind = crcl::kind_of(**document);
  if (kind != crcl::DocumentKind::kCommand && kind != crcl::DocumentKind::kProgram) {
    return "'text' must be a CRCLCommandInstance or a CRCLProgram";
  }
  return framing.buffered_bytes() > 0 ? "'text' goes on after the end of its document" : "";
}

}  // namespace

class RosCrcl::Line {
 public:
  Line(cell::World& world, std::string asker, const cell::Wish& robot, std::uint32_t number)
      : world_(world),
        asker_(std::move(asker)),
        robot_(robot),
        door_(*world.ask<CrclServer>(robot).door),
        id_(ConnectionId{kFirstBeside + number}) {}

  const std::string& robot() const { return robot_.name; }

  /// Whether there is a connection now.
  bool open(Time now) {
    if (!world_.is_networked(asker_, robot_.name)) {
      if (door_.is_over(id_) && (!dialled_ || now - *dialled_ >= kRedial)) {
        dialled_ = now;
        door_.close(id_, now);
        framing_ = crcl::Framing();
        door_.open(id_, now);
      }
      return !door_.is_over(id_);
    }
    if (link_ != nullptr && link_->is_up()) {
      return true;
    }
    if (dialled_ && now - *dialled_ < kRedial) {
      return false;
    }
    if (link_ != nullptr) {
      world_.hang_up(*link_);
    }
    dialled_ = now;
    framing_ = crcl::Framing();
    link_ = &world_.dial(asker_, robot_, door_.name());
    link_->listen([this](std::string_view bytes, Time) { framing_.feed(bytes); });
    return true;
  }

  void send(std::string_view document, Time now) {
    if (link_ != nullptr) {
      link_->send(document);
    } else {
      door_.receive(id_, document, now);
    }
  }

  /// The next whole document that has arrived.
  std::optional<std::string> take() {
    if (dialled_ && link_ == nullptr) {
      framing_.feed(door_.take_output(id_));
    }
    Result<std::optional<std::string>> next = framing_.next();
    return next ? std::move(next).value() : std::nullopt;
  }

 private:
  cell::World& world_;
  std::string asker_;
  cell::Wish robot_;
  protocols::Door& door_;
  ConnectionId id_;  ///< where there is no network
  cell::NetworkClientLink* link_ = nullptr;
  std::optional<Time> dialled_;
  crcl::Framing framing_;
};

RosCrcl::RosCrcl(cell::World& world, std::string asker, const std::vector<cell::Wish>& robots,
                 Duration period, Heard heard)
    : world_(world), period_(period), heard_(std::move(heard)) {
  for (const cell::Wish& robot : robots) {
    lines_.push_back(
        std::make_unique<Line>(world_, asker, robot, static_cast<std::uint32_t>(lines_.size())));
  }
}

RosCrcl::~RosCrcl() = default;

std::optional<Error> RosCrcl::carry_out(const protocols::ros::CrclText& text, Time now) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Line>& line : lines_) {
    names.push_back(line->robot());
    if (line->robot() != text.robot) {
      continue;
    }
    if (const std::string why = what_is_wrong(text.document); !why.empty()) {
      return Error{why};
    }
    if (!line->open(now)) {
      return Error{fmt::format("no connection to the CRCL server of '{}'", text.robot)};
    }
    ++documents_;
    line->send(text.document, now);
    return std::nullopt;
  }
  return Error{fmt::format("no robot called '{}' executes CRCL; those that do: {}", text.robot,
                           names.empty() ? "none" : join(names))};
}

void RosCrcl::look(Time now, bool has_listeners) {
  if (has_listeners && period_ > Duration::zero() && (!has_asked_ || now - asked_ >= period_)) {
    has_asked_ = true;
    asked_ = now;
    crcl::Client words;
    words.ask_status();
    const std::string question = words.take_output();
    for (const std::unique_ptr<Line>& line : lines_) {
      if (line->open(now)) {
        line->send(question, now);
      }
    }
  }
  for (const std::unique_ptr<Line>& line : lines_) {
    while (const std::optional<std::string> document = line->take()) {
      ++statuses_;
      heard_(line->robot(), *document, now);
    }
  }
}

}  // namespace longarm::actors
