// SPDX-License-Identifier: Apache-2.0
// The tables, and what SQLite's complaints mean to the user.
#include "longarm/study/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/version.h"
#include "longarm/record/sqlite.h"
#include "longarm/study/json_values.h"
#include "longarm/study/store_tables.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using record::SqliteConnection;
using record::SqliteError;
using record::SqliteStatement;

/// Empty of a cell, which has none: its arms have.
std::string stored_verdict(const Json& metrics) {
  const auto found = metrics.find("stable");
  if (found == metrics.end()) {
    return "";
  }
  return !found->is_boolean() ? "undecided" : found->get<bool>() ? "stable" : "unstable";
}

}  // namespace

/// The connection, and the statements that sweeps use all the time.
struct Store::Database {
  Database(const fs::path& file, int flags) : connection(file, flags) {}

  SqliteConnection connection;
  std::optional<SqliteStatement> add_run, add_details, add_curves, add_machine, add_point;
  int folder_lock = -1;  // held by the one who writes

  ~Database() {
    if (folder_lock >= 0) {
      ::close(folder_lock);
    }
  }
};

void Store::fail(const std::string& doing, int code, const std::string& message) const {
  throw InputError(
      Diagnostic{{file_.string()}, "cannot " + doing + ": " + message, hint_for(code)});
}

/// Runs `work`, with SQLite's errors in words.
template <typename Work>
auto Store::with_words(const std::string& doing, Work&& work) const {
  try {
    return work();
  } catch (const SqliteError& error) {
    // all or nothing: what was begun must not be completed by a later commit
    if (database_ && sqlite3_get_autocommit(database_->connection.get()) == 0) {
      sqlite3_exec(database_->connection.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    fail(doing, error.code, error.message);
  }
}

Store::Store(const fs::path& file, Mode mode) : file_(file) {
  if (mode == Mode::kRead) {
    open_to_read();
  } else {
    open_to_write();
  }
}

Store::~Store() = default;

void Store::open_to_read() {
  if (!fs::is_regular_file(file_)) {
    throw InputError(Diagnostic{{file_.string()}, "file not found", "give a study's folder"});
  }
  try {
    database_ = std::make_unique<Database>(file_, SQLITE_OPEN_READONLY);
    database_->connection.execute(
        // rows are looked up by hash: 64 MiB of pages halve the time for 10^5 of them
        "PRAGMA busy_timeout = 5000; PRAGMA cache_size = -65536;"
        "SELECT count(*) FROM sqlite_master");
  } catch (const SqliteError&) {
    // a reader of a WAL file wants to write beside it; where that cannot be, nobody else writes
    with_words("read this study", [&] {
      const fs::path as_it_is = "file:" + fs::absolute(file_).string() + "?immutable=1";
      database_ = std::make_unique<Database>(as_it_is, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
      database_->connection.execute("SELECT count(*) FROM sqlite_master");
    });
  }
  check_format();
}

void Store::open_to_write() {
  std::error_code problem;
  const fs::path folder = fs::absolute(file_).parent_path();
  fs::create_directories(folder, problem);
  if (problem) {
    throw InputError(Diagnostic{{folder.string()},
                                "cannot create this folder: " + problem.message(),
                                "choose another folder with --out"});
  }
  // a folder can be locked, and the lock goes with the process, however that ends
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock);
    throw InputError(Diagnostic{{file_.string()},
                                "another longarm is using this study",
                                "wait for it, or choose another --out"});
  }
  // whose file it is comes first: nothing is changed in one that is not ours
  const bool is_new = with_words("open this study", [&] {
    database_ = std::make_unique<Database>(file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    database_->folder_lock = lock;
    database_->connection.execute("PRAGMA busy_timeout = 5000");
    SqliteStatement count = database_->connection.prepare("SELECT count(*) FROM sqlite_master");
    count.step();
    return count.integer(0) == 0;
  });
  if (!is_new) {
    check_format();
  }
  with_words("open this study", [&] {
    // WAL with this setting never loses a commit to a killed program, and needs no sync per run
    database_->connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (is_new) {
      database_->connection.execute("BEGIN;" + table_definitions() + "COMMIT;");
    }
  });
}

void Store::check_format() const {
  const auto pragma = [&](const char* name) {
    return with_words("read this study", [&] {
      SqliteStatement get = database_->connection.prepare(std::string("PRAGMA ") + name);
      get.step();
      return get.integer(0);
    });
  };
  if (pragma("application_id") != kApplication) {
    throw InputError(Diagnostic{{file_.string()},
                                "this SQLite file is not a study of Longarm",
                                "give a study.db written by `longarm sweep`"});
  }
  if (const std::int64_t format = pragma("user_version"); format != kStoreFormat) {
    throw InputError(Diagnostic{
        {file_.string()},
        fmt::format("this study was written by another version of Longarm (format {}; this is {} "
                    "with format {})",
                    format, LONGARM_VERSION, kStoreFormat),
        "nothing was changed; use the version that wrote it, or start over with another --out"});
  }
}

void Store::ask(const StudyQuestion& question, const std::vector<GridPoint>& grid,
                const std::vector<std::string>& metrics) {
  with_words("write to this study", [&] {
    SqliteConnection& db = database_->connection;
    db.execute("BEGIN IMMEDIATE; DELETE FROM study; DELETE FROM axes; DELETE FROM grid;");
    db.prepare("INSERT INTO study VALUES(?, ?, ?, ?, ?)")
        .bind(1, question.name)
        .bind(2, question.scenario)
        .bind(3, question.command)
        .bind(4, question.title)
        .bind(5, question.axes.dump())
        .run();
    SqliteStatement add_value = db.prepare("INSERT INTO axes VALUES(?, ?, ?, ?, ?)");
    for (const AxisValue& value : axis_values(question)) {
      add_value.bind(1, static_cast<std::int64_t>(value.axis))
          .bind(2, static_cast<std::int64_t>(value.step))
          .bind(3, value.key);
      value.number ? add_value.bind(4, value.number) : add_value.bind(4, value.text);
      add_value.bind(5, value.seconds).run();
    }
    SqliteStatement add = db.prepare("INSERT INTO grid VALUES(?, ?, ?)");
    for (std::size_t i = 0; i < grid.size(); ++i) {
      add.bind(1, static_cast<std::int64_t>(i))
          .bind(2, grid[i].key)
          .bind(3, Json(grid[i].values).dump())
          .run();
    }
    db.execute(results_view(question, metrics) + "COMMIT;");
  });
}

std::optional<StudyQuestion> Store::question() const {
  return with_words("read this study", [&]() -> std::optional<StudyQuestion> {
    SqliteStatement get =
        database_->connection.prepare("SELECT name, scenario, command, title, axes FROM study");
    if (!get.step()) {
      return std::nullopt;
    }
    return StudyQuestion{get.text(0), get.text(1), get.text(2), get.text(3),
                         parsed(get.view(4), "the study's question")};
  });
}

void Store::add(const std::string& key, const RunRow& row) {
  with_words("write to this study", [&] {
    Database& db = *database_;
    if (!db.add_run) {
      prepare_to_add();
    }
    db.connection.execute("BEGIN IMMEDIATE");
    add_run(row);
    if (!key.empty()) {
      db.add_point->bind(1, key).bind(2, row.identity).run();
    }
    db.connection.execute("COMMIT");
  });
}

void Store::prepare_to_add() {
  Database& db = *database_;
  std::string places;
  for (std::size_t i = 0; i < metric_columns().size(); ++i) {
    places += "?, ";
  }
  const auto prepare = [&](const std::string& sql) { return db.connection.prepare(sql); };
  db.add_run =
      prepare("INSERT OR IGNORE INTO runs VALUES(?, ?, ?, ?, ?, ?, ?, ?, " + places + "?, ?)");
  db.add_details = prepare("INSERT OR IGNORE INTO details VALUES(?, ?, ?)");
  db.add_curves = prepare("INSERT OR IGNORE INTO curves VALUES(?, ?)");
  db.add_machine = prepare("INSERT OR IGNORE INTO machine VALUES(?, ?)");
  db.add_point = prepare("INSERT OR REPLACE INTO points VALUES(?, ?)");
}

void Store::add_run(const RunRow& row) {
  Database& db = *database_;
  SqliteStatement& run = *db.add_run;
  const auto seed = row.metrics.find("seed");
  run.bind(1, row.identity)
      .bind(2, row.reference)
      .bind(3, text_in(row.metrics, "engine"))
      .bind(4, text_in(row.metrics, "cut"))
      .bind(5, seed != row.metrics.end() ? seed->get<std::int64_t>() : 0)
      .bind(6, stored_verdict(row.metrics))
      .bind(7, text_in(row.metrics, "unstable_joint"))
      .bind(8, text_in(row.metrics, "ended"));
  int place = 8;
  for (const std::string& name : metric_columns()) {
    run.bind(++place, number_in(row.metrics, name));
  }
  run.bind(++place, text_in(row.metrics, "state_hash"));
  run.bind(++place, std::string_view(LONGARM_VERSION)).run();
  db.add_details->bind(1, row.identity).bind(2, row.scenario).bind(3, row.metrics.dump()).run();
  if (!row.curves.empty()) {
    db.add_curves->bind(1, row.identity).bind_blob(2, row.curves).run();
  }
  db.add_machine->bind(1, row.identity).bind(2, std::optional(row.wall_s)).run();
}

bool Store::has_curves(const std::string& identity) const {
  return with_words("read this study", [&] {
    return database_->connection.prepare("SELECT 1 FROM curves WHERE identity = ?")
        .bind(1, identity)
        .step();
  });
}

std::vector<std::size_t> Store::open_points() const {
  return with_words("read this study", [&] {
    std::vector<std::size_t> open;
    SqliteStatement get = database_->connection.prepare(
        "SELECT ordinal FROM grid WHERE key NOT IN (SELECT key FROM points) ORDER BY ordinal");
    while (get.step()) {
      open.push_back(static_cast<std::size_t>(get.integer(0)));
    }
    return open;
  });
}

std::size_t Store::grid_size() const {
  return with_words("read this study", [&] {
    SqliteStatement count = database_->connection.prepare("SELECT count(*) FROM grid");
    count.step();
    return static_cast<std::size_t>(count.integer(0));
  });
}

void Store::for_each_result(const std::vector<std::string>& metrics,
                            const std::function<void(const ResultRow&)>& visit) const {
  std::string columns;
  for (const std::string& name : metrics) {
    columns += ", " + metric_expression(name);
  }
  with_words("read this study", [&] {
    SqliteStatement get = database_->connection.prepare(
        "SELECT steps, identity, reference, verdict, unstable_joint, ended, state_hash, "
        "longarm_version" +
        columns + " FROM grid JOIN points USING(key) JOIN runs USING(identity)" +
        joined_for(metrics) + " ORDER BY ordinal");
    ResultRow row;
    row.metrics.resize(metrics.size());
    while (get.step()) {
      row.values = parsed(get.view(0), "the grid").get<std::vector<std::size_t>>();
      int column = 0;
      for (std::string* text : {&row.identity, &row.reference, &row.verdict, &row.unstable_joint,
                                &row.ended, &row.state_hash, &row.longarm_version}) {
        *text = get.text(++column);
      }
      for (std::optional<double>& metric : row.metrics) {
        metric = get.number(++column);
      }
      visit(row);
    }
  });
}

std::string Store::text_of(const char* column, const char* table,
                           const std::string& identity) const {
  return with_words("read this study", [&] {
    SqliteStatement get = database_->connection.prepare(
        fmt::format("SELECT {} FROM {} WHERE identity = ?", column, table));
    get.bind(1, identity);
    return get.step() ? get.text(0) : std::string();
  });
}

/// Our own writing read back; if somebody else changed it, words instead of an exception of JSON's.
Json Store::parsed(std::string_view text, const std::string& what) const {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    throw InputError(Diagnostic{{file_.string()},
                                what + " is damaged: it is not valid JSON",
                                "start over with another --out"});
  }
  return json;
}

std::optional<Json> Store::metrics(const std::string& identity) const {
  const std::string text = text_of("metrics", "details", identity);
  return text.empty() ? std::nullopt : std::optional(parsed(text, "run " + identity));
}

std::string Store::scenario(const std::string& identity) const {
  return text_of("scenario", "details", identity);
}

std::string Store::curves(const std::string& identity) const {
  return text_of("data", "curves", identity);
}

void Store::put_document(const std::string& name, const Json& document) {
  with_words("write to this study", [&] {
    database_->connection.prepare("INSERT OR REPLACE INTO documents VALUES(?, ?)")
        .bind(1, name)
        .bind(2, document.dump())
        .run();
  });
}

void Store::drop_document(const std::string& name) {
  with_words("write to this study", [&] {
    database_->connection.prepare("DELETE FROM documents WHERE name = ?").bind(1, name).run();
  });
}

std::optional<Json> Store::document(const std::string& name) const {
  return with_words("read this study", [&]() -> std::optional<Json> {
    SqliteStatement get =
        database_->connection.prepare("SELECT json FROM documents WHERE name = ?");
    get.bind(1, name);
    return get.step() ? std::optional(parsed(get.view(0), "document " + name)) : std::nullopt;
  });
}

}  // namespace longarm::study
