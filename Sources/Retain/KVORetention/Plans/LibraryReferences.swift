/// What is known of libraries that are part of Swift: references which make a cycle of the library's own and
/// hold nothing of a program's longer than it is to live, and memory that has none.
///
/// The list is that of Swift 6.0 to 6.3. It is documented in Documentation/RetainSearch.md.
enum LibraryReferences {
  /// Modules whose classes are no program's.
  static let modules: Set<String> = [
    "Swift", "_Concurrency", "_StringProcessing", "Observation", "Synchronization", "Dispatch",
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
  ]

  private struct Field: Hashable {
    var module: String
    var type: String
    var field: String
  }

  private static let passedOver: Set<Field> = [
    // What a tracking read is kept with what it waits for, until that changes or is deallocated: the end of
    // the model breaks this ring. What the program's closure captured is found beside it.
    Field(module: "Observation", type: "Entry", field: "context"),
    // The bytes of a `Data` are no references.
    Field(module: "FoundationEssentials", type: "__DataStorage", field: "_bytes"),
    // What libcurl has knows its handles without counting them.
    Field(module: "FoundationNetworking", type: "_MultiHandle", field: "rawHandle"),
    Field(module: "FoundationNetworking", type: "_EasyHandle", field: "rawHandle"),
  ]

  /// Classes of which an object makes a ring with others of its library, until something of theirs ends.
  ///
  /// A session's registry has the tasks that have not ended, and each of them its session.
  private static let ringMakers: Set<[String]> = [["FoundationNetworking", "_TaskRegistry"]]

  /// Whether objects of a class make rings with others of its library that are no program's to break.
  static func makesRings(_ type: String, in module: String) -> Bool {
    ringMakers.contains([module, type])
  }

  /// Whether a field is not followed.
  static func isPassedOver(_ field: String, of type: String, in module: String) -> Bool {
    passedOver.contains(Field(module: module, type: type, field: field))
  }
}
