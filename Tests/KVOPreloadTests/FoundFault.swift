/// A finding, as `kvo-audit --format json` gives it.
struct FoundFault: Decodable {
  let code: String
  let severity: String
  let library: Bool?

  /// Whether it is a library's, and not the program's.
  var isLibrary: Bool { library == true }
}

/// All that is found in some logs.
struct FoundFaults: Decodable {
  let findings: [FoundFault]
}
