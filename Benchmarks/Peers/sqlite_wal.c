// Peer: rows of a SQLite database with a write-ahead log, in transactions of 10,000.
//
// synchronous=off: as with a mapped file, committed data survive the process, but not the machine.

#include <sqlite3.h>

#include "driver.h"

enum { ROWS_PER_TRANSACTION = 10000 };

static sqlite3 *database;

static void run(const char *statement) {
  if (sqlite3_exec(database, statement, NULL, NULL, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", statement, sqlite3_errmsg(database));
    exit(1);
  }
}

int main(int count, char **arguments) {
  uint64_t operations = bench_operations(count, arguments);
  char path[4096];
  snprintf(path, sizeof path, "%s/peer.sqlite", arguments[2]);
  if (sqlite3_open(path, &database) != SQLITE_OK) bench_fail(path);
  run("pragma journal_mode=wal");
  run("pragma synchronous=off");
  run("create table event(t integer, kind integer, thread integer, ord integer,"
      " registration integer, change integer, phase integer)");
  sqlite3_stmt *insert;
  if (sqlite3_prepare_v2(database, "insert into event values(?,?,?,?,?,?,?)", -1, &insert, NULL) !=
      SQLITE_OK) {
    bench_fail("insert");
  }
  bench_begin();
  for (uint64_t i = 0; i < operations; i++) {
    if (i % ROWS_PER_TRANSACTION == 0) {
      if (i > 0) run("commit");
      run("begin");
    }
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)bench_nanoseconds(CLOCK_MONOTONIC));
    sqlite3_bind_int64(insert, 2, 12);
    sqlite3_bind_int64(insert, 3, 1);
    sqlite3_bind_int64(insert, 4, (sqlite3_int64)i);
    sqlite3_bind_int64(insert, 5, (sqlite3_int64)(i & 63));
    sqlite3_bind_int64(insert, 6, (sqlite3_int64)i);
    sqlite3_bind_int64(insert, 7, 2);
    if (sqlite3_step(insert) != SQLITE_DONE) bench_fail("step");
    sqlite3_reset(insert);
  }
  run("commit");
  bench_end(operations);
  return 0;
}
