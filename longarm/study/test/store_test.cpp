// SPDX-License-Identifier: Apache-2.0
// A study's file keeps what it was given, across openings, and refuses what it cannot be.
#include "longarm/study/store.h"

#include <fstream>

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include "longarm/core/diagnostic.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~StoreTest() override { fs::remove_all(folder); }

  static RunRow row(const std::string& identity, double deviation_m) {
    RunRow run;
    run.identity = identity;
    run.scenario = "seed: 1\n";
    run.metrics = {{"seed", 1},
                   {"engine", "mujoco"},
                   {"cut", "velocity"},
                   {"stable", true},
                   {"ended", "completed"},
                   {"path_deviation_max_m", deviation_m},
                   {"settling_time_s", nullptr},
                   {"state_hash", "0123456789abcdef"}};
    return run;
  }

  void ask(Store& store) {
    store.ask(
        {"latency", "ur5", "longarm sweep latency", "a title",
         nlohmann::ordered_json::parse(
             R"([{"key":"link.delay","values":["0ms","5ms"]},{"key":"seed","values":["1"]}])")},
        {{"k0", {0, 0}}, {"k1", {1, 0}}});
  }

  std::string complaint(Store::Mode mode) {
    try {
      const Store store(file, mode);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  void execute(const std::string& sql) {
    sqlite3* db = nullptr;
    sqlite3_open(file.c_str(), &db);
    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(db);
  }

  const fs::path folder =
      fs::temp_directory_path() / ("longarm-store-test-" + std::to_string(getpid()));
  const fs::path file = folder / "study.db";
};

TEST_F(StoreTest, KeepsEveryBitOfAMetricAcrossOpenings) {
  {
    Store store(file, Store::Mode::kWrite);
    ask(store);
    RunRow run = row("a", 0.1 + 0.2);
    run.curves = std::string("\0\1bytes", 7);
    store.add("k1", run);
  }
  const Store store(file, Store::Mode::kRead);
  std::vector<ResultRow> rows;
  store.for_each_result([&](const ResultRow& result) { rows.push_back(result); });
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].values, ElementsAre(1U, 0U));
  EXPECT_EQ(rows[0].metrics[0], 0.30000000000000004);
  EXPECT_EQ(rows[0].metrics[7], std::nullopt);  // it never settled
  EXPECT_EQ(rows[0].verdict, "stable");
  EXPECT_EQ(store.curves("a"), std::string("\0\1bytes", 7));
  EXPECT_EQ(store.scenario("a"), "seed: 1\n");
  EXPECT_EQ((*store.metrics("a"))["path_deviation_max_m"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(store.question()->command, "longarm sweep latency");
}

TEST_F(StoreTest, KnowsWhichPointsAreOpen) {
  Store store(file, Store::Mode::kWrite);
  ask(store);
  EXPECT_THAT(store.open_points(), ElementsAre(0U, 1U));
  store.add("k0", row("a", 1.0));
  EXPECT_THAT(store.open_points(), ElementsAre(1U));
  // asked for something else and then again, what was answered stays answered
  store.ask({"other", "ur5", "", "", nlohmann::ordered_json::array()}, {{"k9", {}}});
  EXPECT_THAT(store.open_points(), ElementsAre(0U));
  ask(store);
  EXPECT_THAT(store.open_points(), ElementsAre(1U));
}

TEST_F(StoreTest, NeverChangesARow) {
  Store store(file, Store::Mode::kWrite);
  ask(store);
  store.add("k0", row("a", 1.0));
  store.add("k1", row("a", 2.0));
  store.for_each_result([](const ResultRow& result) { EXPECT_EQ(result.metrics[0], 1.0); });
}

TEST_F(StoreTest, ShowsAColumnPerAxisToWhoeverOpensTheFile) {
  {
    Store store(file, Store::Mode::kWrite);
    ask(store);
    store.add("k1", row("a", 0.25));
  }
  sqlite3* db = nullptr;
  sqlite3_open(file.c_str(), &db);
  std::string text;
  const auto note = [](void* out, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) {
      *static_cast<std::string*>(out) += std::string(values[i]) + " ";
    }
    return 0;
  };
  sqlite3_exec(db,
               "SELECT \"link.delay\", \"link.delay_s\", typeof(seed), path_deviation_max_m FROM "
               "results WHERE seed = 1",
               note, &text, nullptr);
  sqlite3_close(db);
  EXPECT_EQ(text, "5ms 0.005 real 0.25 ");
}

TEST_F(StoreTest, KeepsDocuments) {
  Store store(file, Store::Mode::kWrite);
  EXPECT_EQ(store.document("margin"), std::nullopt);
  store.put_document("margin", {{"critical_s", 0.01}});
  EXPECT_EQ((*store.document("margin"))["critical_s"], 0.01);
}

TEST_F(StoreTest, LetsOneWriteAtATimeAndOthersRead) {
  Store store(file, Store::Mode::kWrite);
  ask(store);
  EXPECT_EQ(complaint(Store::Mode::kWrite), file.string() +
                                                ": error: another longarm is using this study\n"
                                                "  hint: wait for it, or choose another --out");
  EXPECT_EQ(complaint(Store::Mode::kRead), "");
}

TEST_F(StoreTest, RefusesAnotherVersionsFileAndLeavesItAlone) {
  { Store store(file, Store::Mode::kWrite); }
  execute("PRAGMA user_version = 7");
  for (const Store::Mode mode : {Store::Mode::kRead, Store::Mode::kWrite}) {
    EXPECT_THAT(complaint(mode), HasSubstr("written by another version of Longarm (format 7;"));
    EXPECT_THAT(complaint(mode), HasSubstr("nothing was changed"));
  }
}

TEST_F(StoreTest, RefusesFilesThatAreNoStudies) {
  std::ofstream(file) << "time_s,position\n0.001,0.1\n and more text than a header of SQLite has, "
                         "so that nobody takes it for an empty file\n";
  EXPECT_THAT(complaint(Store::Mode::kWrite), HasSubstr("file is not a database"));
  EXPECT_THAT(complaint(Store::Mode::kRead), HasSubstr("file is not a database"));
  fs::remove(file);
  execute("CREATE TABLE recipes(name)");
  EXPECT_THAT(complaint(Store::Mode::kWrite), HasSubstr("this SQLite file is not a study"));
  fs::remove(file);
  EXPECT_THAT(complaint(Store::Mode::kRead), HasSubstr("file not found"));
}

TEST_F(StoreTest, SaysWhichRunWasChangedByHand) {
  {
    Store store(file, Store::Mode::kWrite);
    ask(store);
    store.add("k0", row("a", 1.0));
  }
  execute("UPDATE details SET metrics = '{broken'");
  const Store store(file, Store::Mode::kRead);
  try {
    (void)store.metrics("a");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("run a is damaged: it is not valid JSON"));
  }
}

TEST_F(StoreTest, SaysWhenItsFolderCannotBeMade) {
  std::ofstream(folder / "file") << "x";
  try {
    const Store store(folder / "file" / "study.db", Store::Mode::kWrite);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot create this folder"));
    EXPECT_THAT(error.what(), HasSubstr("--out"));
  }
}

}  // namespace
}  // namespace longarm::study
