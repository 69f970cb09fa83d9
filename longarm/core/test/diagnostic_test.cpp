// SPDX-License-Identifier: Apache-2.0
// Tests of how errors are spelled, ordered and gathered.
#include "longarm/core/diagnostic.h"

#include <gtest/gtest.h>

namespace longarm {
namespace {

TEST(Diagnostic, NamesTheFileLineColumnAndTheCure) {
  const Diagnostic d{{"cell.yaml", 12, 5}, "unknown key 'dealy'", "did you mean 'delay'?"};
  EXPECT_EQ(d.format(),
            "cell.yaml:12:5: error: unknown key 'dealy'\n  hint: did you mean 'delay'?");
}

TEST(Diagnostic, LeavesOutWhatIsUnknown) {
  EXPECT_EQ((Diagnostic{{"a.urdf", 3, 0}, "m", "", Severity::kWarning}).format(),
            "a.urdf:3: warning: m");
  EXPECT_EQ((Diagnostic{{"", 0, 0}, "m", ""}).format(), "error: m");
}

TEST(Diagnostics, ThrowsAllErrorsOnceInFileOrderWithoutTheWarnings) {
  Diagnostics all;
  all.error({"a", 9, 1}, "late");
  all.warning({"a", 1, 1}, "careful");
  all.error({"a", 2, 1}, "early");
  try {
    all.throw_if_errors();
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "a:2:1: error: early\na:9:1: error: late");
    EXPECT_EQ(e.diagnostics().size(), 2U);
  }
}

TEST(Diagnostics, WarningsAloneDoNotThrow) {
  Diagnostics all;
  all.warning({"a", 1, 1}, "careful");
  EXPECT_FALSE(all.has_errors());
  EXPECT_NO_THROW(all.throw_if_errors());
}

}  // namespace
}  // namespace longarm
