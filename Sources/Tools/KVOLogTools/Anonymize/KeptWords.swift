import KVORules

/// The words of a log that name nothing of the program: the language's, the runtimes' and the system's.
///
/// They stay, even if a program has one of them as its own name.
enum KeptWords {
  /// The words that stay wherever they occur.
  static let all: Set<String> = Set(
    (languages + standardLibrary + foundation + kvoSafety + system).flatMap {
      $0.split(separator: " ")
    }
    .map(String.init)
  )
  .union(SystemNames.modules).union(SystemNames.packageModules).union(SystemNames.starters)
  .union(SystemNames.thunks.flatMap { WordRuns($0).words.map(String.init) })

  /// The words that stay in the paths of images and files.
  static let inPaths: Set<String> = [
    "usr", "lib", "lib64", "libexec", "local", "opt", "home", "Users", "System", "Library", "tmp",
    "private", "var", "Applications", "Frameworks", "PrivateFrameworks", "Versions", "framework",
    "app", "xctest", "so", "dylib", "linux", "gnu", "x86_64", "aarch64", "arm64", "build",
    "debug", "release", "src", "Sources", "Tests",
  ]

  /// What the names of source files end in.
  static let fileEndings: Set<String> = [
    "swift", "m", "mm", "c", "h", "cc", "cpp", "hpp", "s", "S",
  ]

  /// What words of the runtimes begin with that contain no name of the program.
  static let reservedBeginnings = [
    "NSKeyValue", "_NSKeyValue", "_NSSet", "objc_", "_objc_", "swift_", "_swift_", "dispatch_",
    "_dispatch_", "__libc_", "__CF", "_CF", "CFRunLoop", "__exceptionPreprocess", "kvos_",
    "UIApplication",
  ]

  /// Beginnings of words that a name follows, by which reports decide whose code it is.
  static let beginnings = [
    "NSKVONotifying_", "GSKVO", "NSKVO", "_NS", "NS", "_start", "start_thread", "clone", "abort",
    "raise", "__swiftmacro_",
  ]

  /// What decides about a word by being in its middle or at its end.
  static let marks = ["_KeyValueStored", "_KeyValueNotifying"]
  static let entryEnding = "_main"

  private static let languages = [
    "_ __C __ObjC Any AnyObject self Self super nil null NULL true false main init deinit alloc dealloc",
    "allocating deallocating getter setter modify read willSet didSet get set static class func let var",
    "in of for to with from at by and the a an is closure variable initialization expression default",
    "argument specialized merged thunk objc block invoke partial apply implicit protocol witness async",
    "await suspend resume throws swift some any inout where subscript key path method unknown object box",
    "context capture value strong weak unowned unmanaged element token registry",
  ]
  private static let standardLibrary = [
    "Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Float Double Bool String Substring",
    "Character Array ContiguousArray ArraySlice Dictionary Set Optional Result Error Never Void Range",
    "ClosedRange KeyPath WritableKeyPath ReferenceWritableKeyPath AnyKeyPath PartialKeyPath Task",
    "TaskGroup AsyncStream MainActor Sendable Unmanaged UnsafePointer UnsafeMutablePointer TaskLocal",
    "withValue forEach map Mutex withLock",
  ]
  private static let foundation = [
    "NSObject NSString NSMutableString NSArray NSMutableArray NSDictionary NSMutableDictionary NSSet",
    "NSMutableSet NSNumber NSValue NSData NSDate NSURL NSError NSException NSThread NSRunLoop NSTimer",
    "NSOperation NSOperationQueue NSNotification NSNotificationCenter NSProxy NSAutoreleasePool NSNull",
    "NSInternalInconsistencyException NSInvalidArgumentException NSRangeException NSGenericException",
    "NSUnknownKeyException NSUndefinedKeyException release retain autorelease drain raise",
    "addObserver removeObserver forKeyPath options observeValueForKeyPath ofObject change",
    "willChangeValueForKey didChangeValueForKey setValue forKey forUndefinedKey observe invalidate",
    "Thread OperationQueue RunLoop DispatchQueue URL Data Date UUID IndexPath",
  ]
  private static let kvoSafety = [
    "AuditedTrait KVO KVOControlled KeyNotification KeyValueObservable KeyValueObserver",
    "NotificationObservation ObservableKey ObservableKeyTable ObservationAuditObserver",
    "ObservationContext ObservationController ObservationPolicy ObservationRegistrar",
    "ObservationToken ObservationViolation ObservedChange ObservedElements ObservedSet",
    "ObservedValues ObservingOptions StreamBuffering",
  ]
  private static let system = [
    "com apple main_thread thread queue signal exception root qos user interactive initiated utility",
    "background overcommit pthread_create pthread_kill UIApplicationMain NSApplicationMain",
    "SIGABRT SIGBUS SIGFPE SIGILL SIGSEGV SIGSYS SIGTRAP SIGTERM SIGKILL EXC_BAD_ACCESS EXC_CRASH",
    "EXC_BREAKPOINT iOS iPadOS macOS tvOS watchOS visionOS Linux Debian Ubuntu GNU",
  ]

  /// What this project itself writes into logs.
  static let sentences: Set<String> = [
    LogConversion.lossReason, "the log could not be written",
  ]
}
