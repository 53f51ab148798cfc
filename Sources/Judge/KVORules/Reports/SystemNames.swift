/// The names by which reports distinguish the system's code, and this package's, from the user's.
///
/// Code that changes names in a log keeps these unchanged, so that the log is judged as before.
package enum SystemNames {
  /// The modules, and images, of the language and of the system.
  package static let modules: Set<String> = [
    "Swift", "_Concurrency", "Synchronization", "Observation", "_StringProcessing", "RegexBuilder",
    "Distributed", "Builtin", "_Differentiation", "_Volatile", "Cxx",
    "Foundation", "FoundationEssentials", "FoundationInternationalization",
    "FoundationNetworking", "FoundationXML", "CoreFoundation", "Dispatch",
    "XCTest", "Testing", "_TestingInternals", "_Testing_Foundation", "TestingMacros",
    "Glibc", "SwiftGlibc", "Musl", "Darwin", "ObjectiveC", "os", "Combine", "CoreData",
    "AppKit", "UIKit", "UIKitCore", "SwiftUI", "SwiftUICore", "AttributeGraph", "QuartzCore",
    "GraphicsServices", "XCTestCore", "HIToolbox", "libdyld", "dyld", "gnustep-base", "objc",
    "OpenCombine",
  ]

  /// Prefixes of the file names of system images.
  package static let imagePrefixes = [
    "libswift", "lib_Testing", "libTesting", "libXCTest", "libFoundation", "lib_Foundation",
    "libdispatch", "libBlocksRuntime", "libobjc", "libgnustep-", "libunwind", "libc.", "libc-",
    "libm.", "libpthread", "libdl.", "libgcc_s", "libstdc++", "libc++", "ld-linux", "ld-musl",
    "libsystem_", "libSystem", "libdyld", "linux-vdso",
  ]

  /// Prefixes of the file names of an Objective-C Foundation's images, if it observes on its own behalf.
  package static let foundationImages = ["libgnustep-"]

  /// Parts of the names of such a Foundation's forwarding methods: the methods of key-value observing and coding
  /// themselves, and those that send messages.
  static let passingOn = [
    "ddObserver:", "emoveObserver:", "ChangeValue",
    "Change:valuesAtIndexes:", "GSKVO", "NSKeyValue", "setValue:forKey", "takeValue:",
    "replacementObject", "performSelector:", "makeObjectsPerform", "NSInvocation", "NSProxy",
    "forward", " bind:", " unbind:", "KeyValueBinding",
  ]

  /// The folders of the system's images.
  package static let folders = [
    "/System/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/libexec/",
  ]

  /// Prefixes of the names of system functions.
  package static let symbolPrefixes = [
    "-[NS", "+[NS", "-[_NS", "NSKeyValue", "_NSKeyValue", "_NSSet", "NSKVO", "objc_", "_objc_",
    "swift_", "_swift_", "dispatch_", "_dispatch_", "__libc_", "_start", "start_thread", "clone",
    "__CF", "_CF", "CFRunLoop", "__exceptionPreprocess", "-[GSKVO", "-[UIApplication",
    "UIApplicationMain", "abort", "raise",
  ]

  /// Functions that start a process or a thread.
  package static let starters: Set = [
    "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
    "start_thread", "__tsan_thread_start_func", "clone", "clone3", "__clone3", "__GI___clone3",
  ]

  /// Functions that the compiler, or a scope of this package, inserts between two functions.
  package static let thunks = [
    "thunk for ", "partial apply for ", "implicit closure ", "protocol witness for ",
    "@objc ",
    "reabstraction thunk ", "dispatch thunk of ", "outlined ", "TaskLocal.withValue(",
    "withUnsafePointer(to:", "withUnsafeMutablePointer(to:", "Unmanaged._withUnsafeGuaranteedRef",
  ]

  /// Whether the file name of an image is one of the system's, wherever it is located.
  package static func hasSystemName(_ image: String) -> Bool {
    let file = FrameClassifier.baseName(image)
    return modules.contains(FrameClassifier.name(ofImage: image))
      || imagePrefixes.contains(where: file.hasPrefix)
  }
}
