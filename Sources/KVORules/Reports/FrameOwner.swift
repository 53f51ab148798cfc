/// Whose code a frame is.
///
/// Reports cut the layer's own frames from the top of a stack, as ThreadSanitizer cuts its
/// interceptors, and mark the first frame of the user's code.
package enum FrameOwner: Hashable, Sendable {
  /// This package.
  case layer
  /// The language's runtime, below any function of the standard library.
  case runtime
  /// The standard library, Foundation, the test frameworks, the C library.
  case system
  /// Everything else.
  case user

  private static let layerModules: Set = [
    "KVOSafety", "KVORecorder", "KVORules", "KVOTrace", "KVOSafetyTesting", "KVOAudit",
    "KVOSymbols", "KVOTraceJSON",
  ]

  private static let systemModules: Set = [
    "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "_Differentiation",
    "Synchronization", "Observation", "Distributed", "RegexBuilder", "Foundation",
    "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
    "FoundationXML", "Dispatch", "Glibc", "Musl", "XCTest", "Testing", "SwiftOnoneSupport",
  ]

  /// Images of Apple's systems and of Linux that no user's code is in.
  private static let systemImages: Set = [
    "CoreFoundation", "Foundation", "UIKit", "UIKitCore", "AppKit", "GraphicsServices",
    "QuartzCore", "libobjc", "libdispatch", "libsystem_kernel", "libsystem_pthread",
    "libsystem_platform", "libsystem_c", "libdyld", "dyld", "libFoundation",
    "libFoundationEssentials", "libXCTest", "libTesting", "libgnustep-base", "libc", "libpthread",
    "ld-linux-x86-64", "ld-linux-aarch64", "linux-vdso", "libstdc++", "libgcc_s",
  ]

  /// What the functions of runtimes and of key-value observing itself begin with.
  private static let systemPrefixes = [
    "NSKeyValue", "NSKVO", "_NSKeyValue", "_NSSet", "_NSUnset", "-[NSObject(NSKeyValue",
    "-[NSObject(NSKVO", "GSKVO", "objc_", "_objc_", "_dispatch_", "__CF", "_CF", "__NS", "_start",
    "__libc_start",
  ]

  /// Whose code a frame is, from what is known of it.
  ///
  /// - Parameters:
  ///   - swiftModule: the Swift module of the function, or nil where it is not Swift's.
  ///   - symbol: the function, or nil.
  ///   - image: the name or path of the image, or nil.
  ///   - hasLine: whether the source line is known.
  ///   - appModules: the modules that are the user's own; empty: all that are nobody else's.
  package init(
    swiftModule: String?,
    symbol: String?,
    image: String?,
    hasLine: Bool,
    appModules: Set<String>
  ) {
    let imageName = image.map(Self.imageName)
    let symbol = symbol ?? ""
    if let swiftModule, Self.layerModules.contains(swiftModule) || swiftModule.hasPrefix("CKVO") {
      self = .layer
    } else if symbol.hasPrefix("kvos_") {
      self = .layer
    } else if !appModules.isEmpty {
      let isApp = [swiftModule, imageName].contains { $0.map(appModules.contains) ?? false }
      self = isApp ? .user : .system
    } else if let swiftModule {
      self = Self.systemModules.contains(swiftModule) ? .system : .user
    } else if imageName == "libswiftCore" || symbol.hasPrefix("swift_") {
      self = .runtime
    } else if Self.isSystem(imageName: imageName, symbol: symbol) {
      self = .system
    } else if symbol.isEmpty {
      // An address that nothing is known of proves nothing.
      self = .system
    } else {
      self = hasLine || imageName == nil || Self.isObjectiveC(symbol) ? .user : .system
    }
  }

  private static func isSystem(imageName: String?, symbol: String) -> Bool {
    if let imageName, systemImages.contains(imageName) || imageName.hasPrefix("libswift") {
      return true
    }
    return systemPrefixes.contains { symbol.hasPrefix($0) }
  }

  private static func isObjectiveC(_ symbol: String) -> Bool {
    symbol.hasPrefix("-[") || symbol.hasPrefix("+[")
  }

  /// The name of an image without folders, and without what follows the first dot.
  private static func imageName(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.split(separator: ".").first.map(String.init) ?? file
  }
}
