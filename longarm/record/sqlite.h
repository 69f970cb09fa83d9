// SPDX-License-Identifier: Apache-2.0
// SQLite's connection and statements with owners; private to those who keep such files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace longarm::record {

/// Thrown by what follows; whoever keeps the file turns it into words for the user.
struct SqliteError {
  int code = 0;  ///< SQLite's, extended
  std::string message;
};

class SqliteStatement;

class SqliteConnection {
 public:
  /// `flags` are those of sqlite3_open_v2.
  SqliteConnection(const std::filesystem::path& file, int flags);

  /// For statements without values.
  void execute(const std::string& sql) const;
  SqliteStatement prepare(std::string_view sql) const;
  sqlite3* get() const { return connection_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

/// A statement that can be run again with other values. Places are counted from 1, columns from 0,
/// as SQLite does.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* connection, std::string_view sql);

  SqliteStatement& bind(int place, std::string_view text);
  SqliteStatement& bind(int place, std::int64_t number);
  SqliteStatement& bind(int place, const std::optional<double>& number);
  SqliteStatement& bind_blob(int place, std::string_view bytes);

  /// True while there is a row.
  bool step();
  /// Runs to the end and makes ready for other values.
  void run();
  void reset();

  std::string text(int column) const;
  std::string_view view(int column) const;  ///< until the next step
  std::int64_t integer(int column) const;
  std::optional<double> number(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void check(int code) const;

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace longarm::record
