// SPDX-License-Identifier: Apache-2.0
// One note for each packet under way; a hop is told when it is over.
#include "longarm/network/builtin/frame_follower.h"

#include "longarm/network/builtin/wire.h"

namespace longarm::network {
namespace {

FrameKind kind_of(const NetworkPacket& packet) {
  switch (packet.transport) {
    case Transport::kRaw:
      return FrameKind::kRaw;
    case Transport::kUdp:
      return FrameKind::kUdp;
    case Transport::kTcp:
      break;
  }
  const tcp::Segment& segment = packet.segment;
  if (segment.length > 0) {
    return FrameKind::kTcpData;
  }
  return segment.is_syn || segment.is_fin || segment.is_rst ? FrameKind::kTcpControl
                                                            : FrameKind::kTcpAcknowledgement;
}

}  // namespace

FrameFollower::Note& FrameFollower::note_of(PacketIndex packet) {
  if (packet >= notes_.size()) {
    notes_.resize(packet + 1);
  }
  return notes_[packet];
}

void FrameFollower::came(Time now, const Port& port, PacketIndex index) {
  const NetworkPacket& packet = packets_[index];
  Note& note = note_of(index);
  if (port.from == packet.source) {
    note.frame = ++frames_;
    note.message = message_of_(packet);
    note.is_followed = watcher_.follows(now) || packet.is_retransmission;
  }
  note.queued = now;
  note.began.reset();
  note.left.reset();
}

void FrameFollower::began(Time begins, Time departs, PacketIndex packet) {
  Note& note = note_of(packet);
  note.began = begins;
  note.left = departs;
}

void FrameFollower::ended(Time now, const Port& port, PacketIndex index, FrameFate fate) {
  const NetworkPacket& packet = packets_[index];
  const Note& note = note_of(index);
  watcher_.hop({note.frame, PortId(port.index), packet.source, packet.destination,
                FlowId(packet.flow), note.message, wire_bytes(port.framing, packet),
                kind_of(packet), packet.is_retransmission, note.is_followed, fate, note.queued,
                note.began, note.left, now});
}

void FrameFollower::copied(PacketIndex packet, PacketIndex copy) {
  note_of(copy);  // may move the notes
  notes_[copy] = note_of(packet);
  notes_[copy].frame = ++frames_;
}

void FrameFollower::queue_changed(Time now, const Port& port) {
  watcher_.queue(now, PortId(port.index), port.queue->size(), port.queue->bytes());
}

}  // namespace longarm::network
