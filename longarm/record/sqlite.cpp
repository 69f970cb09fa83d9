// SPDX-License-Identifier: Apache-2.0
// Every code that is not success becomes a SqliteError.
#include "longarm/record/sqlite.h"

namespace longarm::record {
namespace {

[[noreturn]] void fail(sqlite3* connection, int code) {
  throw SqliteError{connection != nullptr ? sqlite3_extended_errcode(connection) : code,
                    connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code)};
}

}  // namespace

SqliteConnection::SqliteConnection(const std::filesystem::path& file, int flags) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
  connection_.reset(opened);
  if (code != SQLITE_OK) {
    fail(opened, code);
  }
  sqlite3_extended_result_codes(opened, 1);
}

void SqliteConnection::execute(const std::string& sql) const {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    fail(connection_.get(), code);
  }
}

SqliteStatement SqliteConnection::prepare(std::string_view sql) const {
  return SqliteStatement(connection_.get(), sql);
}

SqliteStatement::SqliteStatement(sqlite3* connection, std::string_view sql)
    : connection_(connection) {
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  check(code);
}

SqliteStatement& SqliteStatement::bind(int place, std::string_view text) {
  check(sqlite3_bind_text(statement_.get(), place, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), place, number));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, const std::optional<double>& number) {
  check(number ? sqlite3_bind_double(statement_.get(), place, *number)
               : sqlite3_bind_null(statement_.get(), place));
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int place, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), place, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    fail(connection_, code);
  }
  return code == SQLITE_ROW;
}

void SqliteStatement::run() {
  while (step()) {
  }
  reset();
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_.get());
}

std::string_view SqliteStatement::view(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr
             ? std::string_view()
             : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::string SqliteStatement::text(int column) const {
  return std::string(view(column));
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> SqliteStatement::number(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) {
    return std::nullopt;
  }
  return sqlite3_column_double(statement_.get(), column);
}

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) {
    fail(connection_, code);
  }
}

}  // namespace longarm::record
