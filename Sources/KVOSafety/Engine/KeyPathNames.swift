internal import KVORecorder
internal import KVOTrace

/// The names of the parts of a typed key path with several: `["owner", "name"]` for `\.owner?.name`.
///
/// Swift gives no access to the parts of a key path, and one that is put together from its parts again
/// is not equal to it. What it does give is a description (SE-0369), in which a part stands as the same
/// text in every key path of the program: the name of a stored property, or the address of a getter.
/// So the description of each key of a table tells which text is which key. A text that two keys share,
/// or none has, has no name.
enum KeyPathNames {
  /// What reports and logs call a key path: `owner.name`, or its description where a part of it has no
  /// name.
  static func name(of keyPath: AnyKeyPath, in type: any KeyValueObservable.Type) -> String {
    parts(of: keyPath, in: type)?.joined(separator: ".") ?? "\(keyPath)"
  }

  /// The names of the parts, or nil where one is not known.
  ///
  /// - Complexity: O(keys of the classes on the path).
  static func parts(of keyPath: AnyKeyPath, in type: any KeyValueObservable.Type) -> [String]? {
    guard let texts = texts(of: keyPath), texts.count > 1 else { return nil }
    var names: [String] = []
    var current: (any KeyValueObservable.Type)? = type
    for text in texts {
      guard let keys = current?.observableKeys, let key = keys.key(described: text)
      else { return nil }
      names.append(key.newest.name)
      current = wrapped(key.newest.valueType) as? any KeyValueObservable.Type
    }
    return names
  }

  /// The text of each part, without the signs of optional chaining.
  static func texts(of keyPath: AnyKeyPath) -> [String]? {
    let description = keyPath.debugDescription
    let root = "\\\(Swift.type(of: keyPath).rootType)."
    guard description.hasPrefix(root) else { return nil }
    var texts: [String] = []
    var text = ""
    var depth = 0
    var last: Character = " "
    for character in description.dropFirst(root.count) {
      switch character {
      case "<", "(", "[": depth += 1
      case ">" where last == "-": break
      case ">", ")", "]": depth -= 1
      case "." where depth == 0:
        texts.append(text)
        text = ""
        continue
      case "?" where depth == 0, "!" where depth == 0:
        continue
      default: break
      }
      text.append(character)
      last = character
    }
    texts.append(text)
    return texts
  }

  /// The type without optionals around.
  private static func wrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type).map { wrapped($0.wrappedType) } ?? type
  }
}

private protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}
