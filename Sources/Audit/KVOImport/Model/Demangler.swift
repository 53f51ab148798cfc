import CSwiftDemangle
import Glibc

/// Names of Swift and C++ as their programmer wrote them.
enum Demangler {
  /// Longer names are not demangled, so that a damaged or hostile text costs little time.
  private static let limit = 4_096

  /// `_TtC5MyApp6Screen` as `MyApp.Screen`, `_ZN4View4drawEv` as `View::draw()`; a name that is not
  /// mangled as it is.
  static func demangled(_ name: String) -> String {
    guard name.utf8.count < limit else { return name }
    let name = withoutSuffix(name)
    if name.hasPrefix("_Tt") { return objectiveCName(name) ?? name }
    let starts = ["$s", "_$s", "$S", "_$S", "_T0"]
    guard starts.contains(where: name.hasPrefix) else { return cName(name) ?? name }
    guard let text = swift_demangle(name, name.utf8.count, nil, nil, 0) else { return name }
    defer { free(text) }
    return String(cString: text)
  }

  /// What optimizers append to the name of a part or a copy of a function, before a number that may be another in each build.
  private static let suffixes = [".cold", ".llvm", ".part", ".isra", ".constprop"]

  /// `gauges_close.llvm.1139` as `gauges_close`.
  private static func withoutSuffix(_ name: String) -> String {
    guard name.utf8.last.map(\.isASCIIDigit) == true else { return name }
    var front = name[...]
    while front.last?.isNumber == true { front.removeLast() }
    guard front.popLast() == ".", let suffix = suffixes.first(where: front.hasSuffix) else {
      return name
    }
    let rest = front.dropLast(suffix.count)
    return rest.isEmpty ? name : withoutSuffix(String(rest))
  }

  /// A name of C++, before which Apple's linker puts one more underscore.
  private static func cName(_ name: String) -> String? {
    guard name.hasPrefix("_Z") || name.hasPrefix("__Z") else { return nil }
    let mangled = name.hasPrefix("__Z") ? String(name.dropFirst()) : name
    guard let text = _swift_backtrace_demangle(mangled, mangled.utf8.count, nil, nil)
    else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// The name of a Swift class in Objective-C: `_TtCC5MyApp6Screen4Cell`.
  ///
  /// The runtime of Linux does not demangle it. It is letters for the kinds of the types, then the module and each
  /// type's name after its length; private types have a discriminator in between.
  private static func objectiveCName(_ name: String) -> String? {
    var rest = name.utf8.dropFirst(3)
    if rest.first == UInt8(ascii: "G") { rest = rest.dropFirst() }
    let kinds = rest.prefix {
      $0 == UInt8(ascii: "C") || $0 == UInt8(ascii: "V") || $0 == UInt8(ascii: "O")
    }
    guard !kinds.isEmpty else { return nil }
    rest = rest.dropFirst(kinds.count)
    var parts: [String] = []
    while parts.count <= kinds.count {
      let isDiscriminator = rest.first == UInt8(ascii: "P")
      if isDiscriminator { rest = rest.dropFirst() }
      let digits = rest.prefix(while: \.isASCIIDigit)
      guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0 else { return nil }
      rest = rest.dropFirst(digits.count)
      guard rest.count >= count else { return nil }
      if !isDiscriminator { parts.append(String(decoding: rest.prefix(count), as: UTF8.self)) }
      rest = rest.dropFirst(count)
    }
    return parts.joined(separator: ".")
  }
}
