// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// ns-3's devices speak PPP; in the file stands what the cable would carry.
#include "apps/longarm-ns3/capture.h"

#include <stdexcept>

#include "ns3/internet-module.h"
#include "ns3/network-module.h"

namespace longarm_ns3 {

using namespace ns3;

namespace {

constexpr std::uint32_t kLeastCapturedBytes = 60;  // 64 without the check sum
constexpr std::uint32_t kFirstAddress = 0x0a000000;
constexpr std::uint16_t kIpv4 = 0x0800;

/// Longarm's own: locally administered, with the number of the host.
Mac48Address mac_of(Ipv4Address address) {
  const std::uint32_t host = address.Get() - kFirstAddress;
  std::uint8_t bytes[6] = {0x02, 0x00};
  for (int i = 0; i < 4; ++i) {
    bytes[2 + i] = static_cast<std::uint8_t>(host >> (24 - 8 * i));
  }
  Mac48Address mac;
  mac.CopyFrom(bytes);
  return mac;
}

void write(Ptr<PcapFileWrapper> file, bool is_ethernet, Ptr<const Packet> packet) {
  const Ptr<Packet> frame = packet->Copy();
  PppHeader ppp;
  frame->RemoveHeader(ppp);
  if (is_ethernet) {
    Ipv4Header ip;
    frame->PeekHeader(ip);
    EthernetHeader header(false);
    header.SetSource(mac_of(ip.GetSource()));
    header.SetDestination(mac_of(ip.GetDestination()));
    header.SetLengthType(kIpv4);
    frame->AddHeader(header);
    if (frame->GetSize() < kLeastCapturedBytes) {
      frame->AddPaddingAtEnd(kLeastCapturedBytes - frame->GetSize());
    }
  }
  file->Write(Simulator::Now(), frame);
}

}  // namespace

void capture_device(const std::string& path, Ptr<PointToPointNetDevice> device, bool is_ethernet) {
  const Ptr<PcapFileWrapper> file = CreateObject<PcapFileWrapper>();
  file->SetAttribute("NanosecMode", BooleanValue(true));
  file->Open(path, std::ios::out | std::ios::binary);
  if (file->Fail()) {
    throw std::runtime_error("capture: '" + path + "' cannot be opened for writing");
  }
  file->Init(is_ethernet ? PcapHelper::DLT_EN10MB : PcapHelper::DLT_RAW);
  device->TraceConnectWithoutContext(
      "PromiscSniffer",
      Callback<void, Ptr<const Packet>>(
          [file, is_ethernet](Ptr<const Packet> packet) { write(file, is_ethernet, packet); }));
}

}  // namespace longarm_ns3
