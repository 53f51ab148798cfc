/// The names by which reports tell the system's code, and this package's, from the user's.
///
/// Whoever changes names in a log leaves these, so that the log is judged as before.
package enum SystemNames {
  /// The modules of this package.
  package static let layerModules: Set<String> = [
    "KVOSafety", "KVORecorder", "KVORules", "KVOTrace", "KVOTraceJSON", "KVOSafetyTesting",
    "KVORetention", "KVOSafetyPreload", "KVOAudit", "KVOSymbols", "CKVOUnwind", "CKVORuntime",
    "KVOSafetyNotifications", "KVOSafetyObjectiveC", "KVOSafetyObservation",
    "KVOSafetyOpenCombine", "KVOSafetySpelling",
  ]

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

  /// What the file names of system images begin with.
  package static let imagePrefixes = [
    "libswift", "lib_Testing", "libTesting", "libXCTest", "libFoundation", "lib_Foundation",
    "libdispatch", "libBlocksRuntime", "libobjc", "libgnustep-", "libunwind", "libc.", "libc-",
    "libm.", "libpthread", "libdl.", "libgcc_s", "libstdc++", "libc++", "ld-linux", "ld-musl",
    "libsystem_", "libSystem", "libdyld", "linux-vdso",
  ]

  /// What the file names of an Objective-C Foundation's images begin with, where it observes on its own behalf.
  package static let foundationImages = ["libgnustep-"]

  /// What the names of such a Foundation's methods contain that pass on what they are asked: the methods of
  /// key-value observing and coding themselves, and those that send messages.
  static let passingOn = [
    "ddObserver:", "emoveObserver:", "ChangeValue",
    "Change:valuesAtIndexes:", "GSKVO", "NSKeyValue", "setValue:forKey", "takeValue:",
    "replacementObject", "performSelector:", "makeObjectsPerform", "NSInvocation", "NSProxy",
    "forward", " bind:", " unbind:", "KeyValueBinding",
  ]

  /// Where the system's images are.
  package static let folders = [
    "/System/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/libexec/",
  ]

  /// What the names of system functions begin with.
  package static let symbolPrefixes = [
    "-[NS", "+[NS", "-[_NS", "NSKeyValue", "_NSKeyValue", "_NSSet", "NSKVO", "objc_", "_objc_",
    "swift_", "_swift_", "dispatch_", "_dispatch_", "__libc_", "_start", "start_thread", "clone",
    "__CF", "_CF", "CFRunLoop", "__exceptionPreprocess", "-[GSKVO", "-[UIApplication",
    "UIApplicationMain", "abort", "raise",
  ]

  /// What starts a process or a thread.
  package static let starters: Set = [
    "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
    "start_thread", "__tsan_thread_start_func", "clone", "clone3", "__clone3", "__GI___clone3",
  ]

  /// What the compiler, or a scope of this package, puts between two functions.
  package static let thunks = [
    "thunk for ", "partial apply for ", "implicit closure ", "protocol witness for ",
    "@objc ",
    "reabstraction thunk ", "dispatch thunk of ", "outlined ", "TaskLocal.withValue(",
    "withUnsafePointer(to:", "withUnsafeMutablePointer(to:", "Unmanaged._withUnsafeGuaranteedRef",
  ]

  /// Whether the file name of an image is one of the system's, wherever it lies.
  package static func hasSystemName(_ image: String) -> Bool {
    let file = FrameClassifier.baseName(image)
    return modules.contains(FrameClassifier.name(ofImage: image))
      || imagePrefixes.contains(where: file.hasPrefix)
  }
}
