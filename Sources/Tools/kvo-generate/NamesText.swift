import KVOSchema

/// The names and numbers of the events, and what readers of names need.
enum NamesText {
  /// `Event.Body.names` and `Event.Body.name`.
  static var eventNames: String {
    SourceText.swift { source in
      source.block("extension Event.Body") { source in
        source.line("/// The names of all events, as the log spells them, in the order of cases.")
        let names = EventKind.all.map { "\"\($0.name)\"" }.joined(separator: ", ")
        source.line("package static let names = [\(names)]")
        source.line()
        source.line("/// The event's name, as the log spells it.")
        source.block("package var name: String") { source in
          source.line("switch self {")
          for kind in EventKind.all { source.line("case .\(kind.caseName): \"\(kind.name)\"") }
          source.line("}")
        }
      }
    }
  }

  /// A name that may be a word of Swift.
  private static func escaped(_ name: String) -> String {
    ["deinit", "class"].contains(name) ? "`\(name)`" : name
  }

  /// `BinaryFormat.Record`.
  static var recordKinds: String {
    SourceText.swift { source in
      source.block("extension BinaryFormat") { source in
        source.line("/// The kinds of records.")
        source.line("@usableFromInline")
        source.block("package enum Record: UInt8, CaseIterable, Sendable") { source in
          for kind in EventKind.all {
            source.line("case \(escaped(kind.caseName)) = \(kind.number)")
          }
          source.line()
          for kind in OtherRecord.all {
            source.line("/// \(kind.meaning)")
            source.line("case \(kind.name) = \(kind.number)")
          }
          source.line()
          addRawValue(to: &source)
        }
      }
      source.line()
      source.block("extension BinaryFormat.Record") { source in
        source.line("/// The kind of record that holds the event.")
        source.block("package init(of body: Event.Body)") { source in
          source.line("self =")
          source.line("  switch body {")
          for kind in EventKind.all {
            source.line("  case .\(kind.caseName): .\(kind.caseName)")
          }
          source.line("  }")
        }
      }
    }
  }

  /// What the compiler would add to `Record`, but not so that the reader could inline it.
  private static func addRawValue(to source: inout SourceText) {
    let cases =
      EventKind.all.map { ($0.caseName, $0.number) } + OtherRecord.all.map { ($0.name, $0.number) }
    source.line("@inlinable @inline(__always)")
    source.block("package init?(rawValue: UInt8)") { source in
      source.line("switch rawValue {")
      for (name, number) in cases { source.line("case \(number): self = .\(name)") }
      source.lines(["default: return nil", "}"])
    }
    source.line()
    source.line("@inlinable")
    source.block("package var rawValue: UInt8") { source in
      source.line("switch self {")
      for (name, number) in cases { source.line("case .\(name): \(number)") }
      source.line("}")
    }
  }

  /// What `BinaryNumbered` has of each enumeration.
  static var choices: String {
    SourceText.swift { source in
      for (index, choice) in Choice.all.enumerated() {
        if index > 0 { source.line() }
        source.block("extension \(choice.type): BinaryNumbered") { source in
          source.line(choice.isFrequent ? "@inlinable @inline(__always)" : "@inlinable")
          source.block("package init?(binaryNumber number: UInt64)") { source in
            source.line("switch number {")
            for word in choice.words {
              source.line("case \(word.number): self = .\(word.name)")
            }
            source.lines(["default: return nil", "}"])
          }
          source.line()
          source.line("@inlinable")
          source.block("package var binaryNumber: UInt64") { source in
            source.line("switch self {")
            for word in choice.words { source.line("case .\(word.name): \(word.number)") }
            source.line("}")
          }
        }
      }
    }
  }

  /// `CanonicalKind`.
  static var canonicalKinds: String {
    SourceText.swift { source in
      source.line("/// The names of the events, as a line spells them.")
      source.block("enum CanonicalKind") { source in
        for kind in EventKind.all {
          source.line("case \(escaped(kind.name))")
        }
        source.line()
        source.lines([
          "/// Steps over the name that is at `line`, and its closing quote.",
          "///",
          "/// What a log is full of is tried first.",
          "@inline(__always)",
        ])
        source.block("init(_ line: inout LineCursor) throws(NotCanonical)") {
          addTries(of: EventKind.byFrequency.filter { $0.frequency == .high }, to: &$0)
        }
        source.line()
        source.line("@inline(never)")
        source.block("private init(rare line: inout LineCursor) throws(NotCanonical)") {
          addTries(of: EventKind.byFrequency.filter { $0.frequency != .high }, to: &$0)
        }
      }
    }
  }

  private static func addTries(of kinds: [EventKind], to source: inout SourceText) {
    for (index, kind) in kinds.enumerated() {
      source.line("\(index == 0 ? "" : "} else ")if line.take(#\"\(kind.name)\"\"#) {")
      source.line("  self = .\(kind.name)")
    }
    source.line("} else {")
    let isLast = kinds.allSatisfy { $0.frequency != .high }
    source.line(isLast ? "  throw NotCanonical()" : "  try self.init(rare: &line)")
    source.line("}")
  }

  /// Which keys each event may have.
  static var grammar: String {
    SourceText.swift { source in
      source.block("extension Grammar") { source in
        source.line("/// The keys of each event, but for those that all have.")
        source.line("static let own: [String: Set<String>] = [")
        source.indent { source in
          for kind in EventKind.all {
            let keys = kind.body.allFields.map { "\"\($0.key)\"" }.joined(separator: ", ")
            source.line("\"\(kind.name)\": [\(keys)],")
          }
        }
        source.line("]")
      }
    }
  }
}

extension Body {
  /// The fields, with those of bodies that it contains.
  var allFields: [Field] {
    fields.flatMap { field in
      if case .fields(let body) = field.type { body.allFields } else { [field] }
    }
  }
}
