/// Whose code a frame belongs to.
enum FrameOrigin: Hashable, Sendable {
  /// This package: cut from the top of a stack, as ThreadSanitizer cuts its interceptors.
  case kvoSafety
  /// The language's runtime, below any function of the standard library.
  case runtime
  /// The standard library, Foundation, a test framework, the runtime or the system.
  case system
  /// Neither the system's nor one of the modules that the user declares as own.
  case library
  /// The user's.
  case own
  /// A bare address that could not be looked up.
  case unknown
}

/// Distinguishes the user's code from other code.
///
/// A Swift frame is judged by the module in its mangled name; any other by the image that it lies
/// in, and, if that is not known, by its symbol.
package struct FrameClassifier: Sendable {
  /// If set, only frames of these modules (or images) are the user's.
  let appModules: Set<String>?

  init(appModules: [String]?) { self.appModules = appModules.map { Set($0) } }

  /// Whose code a frame is.
  ///
  /// - Parameters:
  ///   - symbol: the function, or nil.
  ///   - swiftModule: the module of a Swift function, or nil.
  ///   - image: the path or name of the image, or nil.
  ///   - file: the source file, or nil.
  /// - Returns: the origin; ``FrameOrigin/unknown`` without a symbol.
  func origin(
    symbol: String?,
    swiftModule: String?,
    image: String?,
    file: String? = nil
  ) -> FrameOrigin {
    if let file, Self.isExpanded(file) { return .kvoSafety }
    let swiftModule = swiftModule ?? symbol.flatMap(Self.module(ofMangled:))
    let imageName = image.map(Self.name(ofImage:))
    guard let symbol else {
      // If debug information is missing, the image of the C library still identifies its origin.
      return image.map { isSystem($0) } == true ? .system : .unknown
    }
    if let swiftModule {
      if SystemNames.packageModules.contains(swiftModule) { return .kvoSafety }
      if SystemNames.modules.contains(swiftModule), appModules?.contains(swiftModule) != true {
        return .system
      }
      return appModules.map { $0.contains(swiftModule) ? .own : .library } ?? .own
    }
    if symbol.hasPrefix("kvos_") { return .kvoSafety }
    if symbol.hasPrefix("swift_") || symbol.hasPrefix("_swift_") { return .runtime }
    // Belongs to the runtime wherever it is linked, even into the program itself.
    if symbol.hasPrefix("swift::") || symbol.contains(" swift::") { return .runtime }
    if let imageName, SystemNames.packageModules.contains(imageName) { return .kvoSafety }
    if let imageName, appModules?.contains(imageName) == true { return .own }
    if let image, isSystem(image) { return .system }
    // A method in a category on a class of the system, with the program's debug information, is the program's.
    let isOwnMethod = file != nil && image != nil && ["-[", "+["].contains { symbol.hasPrefix($0) }
    if !isOwnMethod, SystemNames.symbolPrefixes.contains(where: symbol.hasPrefix) { return .system }
    return appModules == nil ? .own : .library
  }

  /// Whether a file is the expansion of one of the library's macros: setters that no programmer wrote.
  private static func isExpanded(_ file: String) -> Bool {
    let name = baseName(file)
    return name.hasPrefix("@__swiftmacro_")
      && (name.contains("_KeyValueStored") || name.contains("_KeyValueNotifying"))
  }

  /// The module at the start of a Swift name that could not be demangled: `$s7Testing…`.
  private static func module(ofMangled symbol: String) -> String? {
    guard let start = ["$s", "_$s"].first(where: symbol.hasPrefix) else { return nil }
    let rest = symbol.dropFirst(start.count)
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard digits.first != "0", let count = Int(digits), count > 0, count < rest.count else {
      return nil
    }
    return String(rest.dropFirst(digits.count).prefix(count))
  }

  private func isSystem(_ image: String) -> Bool {
    SystemNames.hasSystemName(image) || SystemNames.folders.contains(where: image.hasPrefix)
  }

  /// The last component of a path.
  package static func baseName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// `libFoo.so.6` and `/a/Foo.framework/Foo` as `Foo`.
  static func name(ofImage path: String) -> String {
    var name = Substring(baseName(path))
    for ending in [".so", ".dylib", ".xctest"] {
      if let found = name.firstRange(of: ending) { name = name[..<found.lowerBound] }
    }
    return String(name.hasPrefix("lib") ? name.dropFirst(3) : name)
  }
}
