import CSQLite
import Foundation

/// Asks a database, for tests.
final class Rows {
  struct Failure: Error {
    var message: String
  }

  private var connection: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
      throw failure
    }
  }

  deinit { sqlite3_close(connection) }

  /// The rows that `query` gives, their columns parted by `|`.
  func of(_ query: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK else {
      throw failure
    }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let cells = (0..<sqlite3_column_count(statement)).map { column in
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
      }
      rows.append(cells.joined(separator: "|"))
    }
    return rows
  }

  /// What is in the file at `path`.
  static func text(of path: String) throws -> String {
    try String(contentsOf: URL(filePath: path), encoding: .utf8)
  }

  private var failure: Failure {
    Failure(message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "")
  }
}
