import CElfutils
import Glibc

/// A function's name as a programmer reads it, and the Swift module whose code it is.
struct FunctionName: Hashable {
  /// For Swift without modules, types and generic arguments (`closure #1 in Screen.init(account:)`),
  /// for C++ as its runtime demangles it, for all else the name itself.
  var text: String
  /// The Swift module, or nil where there is none or the name does not say.
  var swiftModule: String?

  /// Names longer than this many bytes are not demangled, so that a damaged or hostile string table
  /// costs no time.
  private static let lengthLimit = 1 << 16

  init(mangled name: String) {
    let length = name.utf8.count
    guard length < Self.lengthLimit,
      let short = Self.take(_swift_backtrace_demangle(name, length, nil, nil))
    else {
      text = name
      return
    }
    // The runtime answers for C++ too, and says nothing of which of the two it was.
    guard !name.hasPrefix("_Z"), let full = Self.take(swift_demangle(name, length, nil, nil, 0))
    else {
      text = short
      return
    }
    text = SwiftNameText.shortened(short)
    swiftModule = SwiftNameText.module(inFull: full) ?? SwiftNameText.leadingModule(ofMangled: name)
  }

  private static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
