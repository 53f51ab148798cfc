private import CSQLite

/// A database that is being filled.
///
/// Everything is written in one transaction, which ``finish()`` ends; without that the file has no
/// tables. Owns its connection and closes it. Not synchronized.
final class DatabaseFile {
  /// Why the database cannot be written, in SQLite's words.
  struct Failure: Error {
    var message: String
  }

  enum Value {
    case null
    case integer(Int64)
    case text(String)

    static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    static func integer(_ number: Int?) -> Value { number.map { .integer(Int64($0)) } ?? .null }
    static func flag(_ flag: Bool) -> Value { .integer(flag ? 1 : 0) }
  }

  /// Nil only while the object is made.
  private var connection: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// Has SQLite copy a text before the call returns.
  private static let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Makes a database in the file at `path`, which is empty or not there, and runs `schema` in it.
  init(path: String, schema: String) throws(Failure) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &connection, flags, nil)
    // A half-written export is of no use: nothing is kept for a crash.
    try check(code)
    try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
    try run(schema)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(connection)
  }

  /// Adds a row to `table`, a value for each of its columns.
  func insert(into table: String, _ values: [Value]) throws(Failure) {
    let statement = try insertion(into: table, columnCount: values.count)
    for (index, value) in values.enumerated() {
      let column = Int32(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(statement, column)
        case .integer(let number): sqlite3_bind_int64(statement, column, number)
        case .text(let text):
          sqlite3_bind_text(statement, column, text, Int32(text.utf8.count), Self.transient)
        }
      try check(code)
    }
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else { throw failure }
  }

  /// Ends the transaction.
  func finish() throws(Failure) { try run("COMMIT") }

  private func insertion(
    into table: String,
    columnCount: Int
  ) throws(Failure) -> OpaquePointer {
    if let known = statements[table] { return known }
    let placeholders = Array(repeating: "?", count: columnCount).joined(separator: ", ")
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v2(
        connection,
        "INSERT INTO \(table) VALUES (\(placeholders))",
        -1,
        &statement,
        nil
      )
    )
    guard let statement else { throw failure }
    statements[table] = statement
    return statement
  }

  private func run(_ sql: String) throws(Failure) {
    try check(sqlite3_exec(connection, sql, nil, nil, nil))
  }

  private func check(_ code: Int32) throws(Failure) {
    if code != SQLITE_OK { throw failure }
  }

  private var failure: Failure {
    Failure(message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "out of memory")
  }
}
