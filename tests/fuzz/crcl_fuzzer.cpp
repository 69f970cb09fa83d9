// SPDX-License-Identifier: Apache-2.0
// CRCL streams: found again however they are cut, and what can be read can be written and read.
#include <algorithm>
#include <vector>

#include "longarm/protocols/crcl/client.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::protocols::crcl;

struct Stream {
  std::vector<std::string> documents;
  std::string failure;
  bool operator==(const Stream&) const = default;
};

Stream take_apart(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t kLimit = 4096;
  Framing framing(kLimit);
  Stream stream;
  while (!bytes.empty()) {
    const std::size_t size = std::min(piece, bytes.size());
    framing.feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
    while (true) {
      const auto next = framing.next();
      if (!next) {
        stream.failure = next.error().message;
        return stream;
      }
      if (!next->has_value()) {
        break;
      }
      stream.documents.push_back(**next);
    }
    require(framing.buffered_bytes() <= kLimit, "an unfinished document is bounded");
  }
  return stream;
}

// What was read may hold what is never written (names that are no IDs); once written it is stable.
template <typename Decode>
void go_round(std::string_view document, const Decode& decode) {
  const auto read = decode(document);
  if (!read) {
    require(!read.error().message.empty(), "a refusal has a reason");
    return;
  }
  const Result<std::string> written = encode(*read);
  if (!written) {
    require(!written.error().message.empty(), "a refusal to write has a reason");
    return;
  }
  const auto again = decode(*written);
  require(again.has_value(), "what we write can be read");
  const Result<std::string> rewritten = encode(*again);
  require(rewritten.has_value() && *rewritten == *written, "what was read again is the same");
  Framing framing;
  framing.feed(*written);
  const auto framed = framing.next();
  require(framed.has_value() && *framed == *written, "what we write is one document");
}

void go_round(std::string_view document) {
  go_round(document, decode_command);
  go_round(document, decode_program);
  go_round(document, decode_status);
  (void)command_id_in(document);
  (void)kind_of(document);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  go_round(text);
  const Stream whole = take_apart(text, text.size() + 1);
  require(take_apart(text, 1) == whole, "cutting a stream into bytes changes nothing");
  require(take_apart(text, 7) == whole, "cutting a stream into pieces changes nothing");
  for (const std::string& document : whole.documents) {
    go_round(document);
  }
  Client client;
  client.receive(text);
  require(client.last_status().has_value() || client.progress(1) == Progress::kSent,
          "a client that heard nothing knows nothing");
  return 0;
}
