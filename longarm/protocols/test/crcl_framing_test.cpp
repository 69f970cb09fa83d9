// SPDX-License-Identifier: Apache-2.0
// Documents are found in a stream of bytes however it is cut.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/protocols/crcl/framing.h"

namespace longarm::protocols::crcl {
namespace {

const std::string kStatus = "<CRCLStatus><Name>a</Name></CRCLStatus>";

std::vector<std::string> all_of(Framing& framing) {
  std::vector<std::string> documents;
  while (true) {
    const Result<std::optional<std::string>> next = framing.next();
    if (!next.has_value() || !next->has_value()) {
      return documents;
    }
    documents.push_back(**next);
  }
}

std::vector<std::string> documents_in(const std::string& bytes) {
  Framing framing;
  framing.feed(bytes);
  return all_of(framing);
}

std::string framing_failure(const std::string& bytes) {
  Framing framing;
  framing.feed(bytes);
  all_of(framing);
  const Result<std::optional<std::string>> next = framing.next();
  return next.has_value() ? "" : next.error().message;
}

TEST(Framing, TakesSeveralDocumentsOutOfOneRead) {
  const std::string second = "<CRCLStatus><Name>b</Name></CRCLStatus>";
  EXPECT_EQ(documents_in(kStatus + second), (std::vector{kStatus, second}));
}

TEST(Framing, FindsTheSameDocumentsWhereverTheStreamIsCut) {
  const std::string stream = "<?xml version='1.0'?>" + kStatus + " \n" +
                             "<CRCLProgram x='>'><!-- </CRCLProgram> --></CRCLProgram >" +
                             std::string(3, '\0') + "<CRCLCommandInstance/>";
  const std::vector<std::string> whole = documents_in(stream);
  ASSERT_EQ(whole.size(), 3U);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Framing framing;
    framing.feed(stream.substr(0, cut));
    std::vector<std::string> found = all_of(framing);
    framing.feed(stream.substr(cut));
    for (const std::string& document : all_of(framing)) {
      found.push_back(document);
    }
    EXPECT_EQ(found, whole) << "cut at " << cut;
  }
}

TEST(Framing, SkipsWhiteSpaceNulAndByteOrderMarkBetweenDocuments) {
  EXPECT_EQ(documents_in("\r\n\t " + std::string(2, '\0') + "\xEF\xBB\xBF" + kStatus + "\n"),
            std::vector{kStatus});
}

TEST(Framing, TakesAnEndTagWithWhiteSpaceAndARootThatIsClosedAtOnce) {
  EXPECT_EQ(documents_in("<CRCLStatus></CRCLStatus \n>").size(), 1U);
  EXPECT_EQ(documents_in("<CRCLStatus a='b' />").size(), 1U);
  EXPECT_EQ(documents_in("<CRCLStatus/>" + kStatus).size(), 2U);
}

TEST(Framing, IsNotEndedByAnEndTagInACommentCdataQuoteOrInstruction) {
  for (const std::string inside :
       {"<!-- </CRCLStatus> -->", "<!--></CRCLStatus>-->", "<![CDATA[</CRCLStatus>]]>",
        "<?note </CRCLStatus>?>", "<Point a='/>'></Point>"}) {
    const std::string document = "<CRCLStatus>" + inside + "</CRCLStatus>";
    EXPECT_EQ(documents_in(document + kStatus), (std::vector{document, kStatus})) << inside;
  }
}

TEST(Framing, EndsWithTheRootEvenIfAnElementInsideWasNotClosed) {
  const std::string broken = "<CRCLStatus><Name>a<Point x='></CRCLStatus>";
  EXPECT_EQ(documents_in(broken + kStatus), (std::vector{broken, kStatus}));
}

TEST(Framing, IsNotEndedByAnElementWhoseNameOnlyBeginsLikeTheRoot) {
  const std::string document = "<CRCLStatus></CRCLStatuses></CRCLStatus>";
  EXPECT_EQ(documents_in(document), std::vector{document});
}

TEST(Framing, SaysWhyAStreamCannotBeRead) {
  EXPECT_EQ(framing_failure("GET / HTTP/1.1\r\n"), "text before the first '<' of a document");
  EXPECT_EQ(framing_failure("<html>"),
            "the root element is not CRCLCommandInstance, CRCLStatus or CRCLProgram");
  EXPECT_EQ(framing_failure("<?xml version='1.0'?><!DOCTYPE a ["),
            "a document type (<!DOCTYPE …>) is not allowed");
  EXPECT_EQ(framing_failure(kStatus + "x"), "text before the first '<' of a document");
}

TEST(Framing, GivesUpAfterAMebibyteWithoutAnEndAndKeepsNothing) {
  Framing framing;
  framing.feed("<CRCLStatus>");
  const std::string page(4096, 'x');
  bool has_failed = false;
  for (int i = 0; i < 300 && !has_failed; ++i) {
    framing.feed(page);
    EXPECT_LE(framing.buffered_bytes(), Framing::kMaxBytes + page.size());
    has_failed = !framing.next().has_value();
  }
  ASSERT_TRUE(has_failed);
  EXPECT_EQ(framing.next().error().message, "no end of the document within 1048576 bytes");
  framing.feed(kStatus);
  EXPECT_EQ(framing.buffered_bytes(), 0U);
  EXPECT_FALSE(framing.next().has_value());
}

TEST(Framing, TakesADocumentOfExactlyItsLimit) {
  Framing framing(kStatus.size());
  framing.feed(kStatus);
  EXPECT_EQ(all_of(framing).size(), 1U);
  framing.feed("<CRCLStatus><Name>ab</Name></CRCLStatus>");  // one byte more
  EXPECT_FALSE(framing.next().has_value());
}

// A mebibyte byte by byte is 10^6 steps if each byte is looked at once; looking at the whole buffer
// each time would be 5·10^11, which no test would survive. The same for many documents in one read.
TEST(Framing, TakesTimeInProportionToTheBytes) {
  const std::string begin = "<CRCLStatus><!-- ";
  Framing framing;
  framing.feed(begin);
  const std::size_t filling = Framing::kMaxBytes - 100;
  for (std::size_t i = 0; i < filling; ++i) {
    framing.feed("-");
    ASSERT_TRUE(framing.next().has_value());
  }
  framing.feed(" --></CRCLStatus>");
  EXPECT_EQ(all_of(framing).size(), 1U);

  std::string many;
  while (many.size() < Framing::kMaxBytes) {
    many += "<CRCLStatus/>";
  }
  EXPECT_EQ(documents_in(many).size(), many.size() / 13);
}

}  // namespace
}  // namespace longarm::protocols::crcl
