import KVOSchema

/// The table of `Documentation/Anonymizing.md`: which keys are replaced as what.
enum AnonymizingText {
  static var table: String {
    var source = SourceText()
    source.lines(["| as | the keys |", "|---|---|"])
    for (role, name) in roles {
      var keys: [String] = []
      for body in Body.all {
        for field in body.fields where field.role == role {
          let key = spelled(field, in: body)
          if !keys.contains(key) { keys.append(key) }
        }
      }
      source.line("| \(name) | \(keys.joined(separator: ", ")) |")
    }
    return source.text
  }

  /// The key, and its event if the key is something else in others.
  private static func spelled(_ field: Field, in body: Body) -> String {
    let isElsewhere = Body.all.contains { other in
      other.fields.contains { $0.key == field.key && $0.role != field.role }
    }
    let event = EventKind.all.first { $0.body.name == body.name }?.name ?? body.name
    return isElsewhere ? "`\(field.key)` of `\(event)`" : "`\(field.key)`"
  }

  private static let roles: [(Role, String)] = [
    (.name, "classes, key paths and other names"),
    (.code, "functions and source files"),
    (.image, "images"),
    (.prose, "what people write"),
    (.moment, "the same, unless it is a time"),
    (.opaque, "fingerprints"),
    (.buildID, "build-ids"),
  ]
}
