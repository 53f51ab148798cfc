/// Facts about libraries that are part of Swift: references that form a cycle within the library
/// and keep nothing of the program alive longer than intended, and memory without references.
///
/// The list is for Swift 6.0 to 6.3. Documentation/RetainSearch.md describes it.
enum LibraryReferences {
  /// Modules whose classes are not the program's.
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
    // A tracking read is kept together with the properties that it waits for, until one changes or
    // is deallocated: the deallocation of the model breaks this ring. The captures of the program's
    // closure are reached in other ways.
    Field(module: "Observation", type: "Entry", field: "context"),
    // The bytes of a `Data` are not references.
    Field(module: "FoundationEssentials", type: "__DataStorage", field: "_bytes"),
    // libcurl stores its handles without retaining them.
    Field(module: "FoundationNetworking", type: "_MultiHandle", field: "rawHandle"),
    Field(module: "FoundationNetworking", type: "_EasyHandle", field: "rawHandle"),
  ]

  /// Classes whose objects form a ring with others of their library for a limited time.
  ///
  /// A session's registry has the unfinished tasks, and each of them its session.
  /// A run loop's objects in C and those of Foundation keep each other until the thread ends or
  /// the timer is invalidated.
  private static let ringMakers: Set<[String]> = [
    ["FoundationNetworking", "_TaskRegistry"], ["Foundation", "__NSCFType"],
  ]

  /// Whether objects of a class form rings with others of their library that a program cannot
  /// break.
  static func makesRings(_ type: String, in module: String) -> Bool {
    ringMakers.contains([module, type])
  }

  /// Whether a field is not followed.
  static func isPassedOver(_ field: String, of type: String, in module: String) -> Bool {
    passedOver.contains(Field(module: module, type: type, field: field))
  }

  /// Whether CoreFoundation, which is written in C, allocates memory of its own after the fields of such objects.
  ///
  /// A run loop has its blocks there, and a collection its elements.
  static func hasMemoryOfC(_ type: String, in module: String?) -> Bool {
    module == "Foundation" && objectsOfC.contains(type)
  }

  private static let objectsOfC: Set<String> = [
    "__NSCFType", "_NSCFArray", "_NSCFDictionary", "_NSCFSet",
  ]
}
