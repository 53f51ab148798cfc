import CSwiftDemangle
import Glibc

/// A function's name as a programmer reads it, and the Swift module whose code it is.
struct FunctionName: Hashable {
  /// For Swift without modules, types and generic arguments (`closure #1 in Screen.init(account:)`),
  /// for C++ as its runtime demangles it, for anything else the name itself.
  var text: String
  /// The Swift module, or nil if there is none or the name does not contain it.
  var swiftModule: String?
}

extension FunctionName {
  /// Names longer than this many bytes are not demangled, so that a damaged or hostile string table costs little time.
  private static let lengthLimit = 1 << 16
  private static let merged = Array("merged ".utf8)

  /// Demangles `name`, which need not be a mangled name.
  ///
  /// - Complexity: O(n), a few microseconds for a Swift name.
  init(mangled name: UnsafePointer<CChar>) {
    let length = strlen(name)
    guard length < Self.lengthLimit,
      let short = _swift_backtrace_demangle(name, length, nil, nil)
    else {
      self.init(text: String(cString: name), swiftModule: nil)
      return
    }
    defer { free(short) }
    let bytes = Self.bytes(name, count: length)
    let shortBytes = Self.bytes(short, count: strlen(short))
    if let module = SwiftMangledModule.certain(in: bytes) {
      self.init(
        text: SwiftNameText.shortened(shortBytes),
        swiftModule: module
      )
      return
    }
    // The runtime also demangles C++, and does not tell which of the two it was.
    guard let fullText = swift_demangle(name, length, nil, nil, 0) else {
      self.init(text: String(cString: short), swiftModule: nil)
      return
    }
    defer { free(fullText) }
    let full = Array(Self.bytes(fullText, count: strlen(fullText)))
    var text = SwiftNameText.shortened(shortBytes)
    // The short form does not show it, but such code also serves functions of other names.
    if full.contains(Self.merged, at: 0) { text = "merged \(text)" }
    self.init(
      text: text,
      swiftModule: SwiftModuleName.inFullName(full)
        ?? SwiftModuleName.leading(mangled: Array(bytes))
    )
  }

  private static func bytes(
    _ text: UnsafePointer<CChar>,
    count: Int
  ) -> UnsafeBufferPointer<UInt8> {
    UnsafeRawBufferPointer(start: text, count: count).assumingMemoryBound(to: UInt8.self)
  }
}

/// The requested names of one image, by the pointer to the mangled one.
///
/// Mutable state: the two collections, which only grow, by at most one entry for each name in the
/// image's string tables. The pointers are those of tables that the owner keeps open, so none is used
/// for two names.
final class FunctionNames {
  private var modules: Set<String> = []
  private var known: [UnsafePointer<CChar>: FunctionName] = [:]

  subscript(mangled: UnsafePointer<CChar>) -> FunctionName {
    if let name = known[mangled] { return name }
    var name = FunctionName(mangled: mangled)
    // One copy of a module's name for all its functions is more likely to be in the cache.
    name.swiftModule = name.swiftModule.map { modules.insert($0).memberAfterInsert }
    known[mangled] = name
    return name
  }
}
