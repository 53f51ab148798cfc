/// Tells the user's images from those of Apple's systems.
enum ImageOrigin {
  /// Whose code a frame of a report is.
  static func isOwn(_ frame: StackTrace.Frame, process: String?, appModules: [String]) -> Bool {
    if frame.isManaged { return frame.symbol.map { !isSystem(managed: $0) } ?? true }
    if let symbol = frame.symbol, isTrampoline(symbol) { return false }
    guard let image = frame.image.map(name) else {
      // Without an image, the function's name decides; a bare address belongs to no image.
      guard let symbol = frame.symbol else { return false }
      return !isSystem(symbol: symbol)
    }
    if !appModules.isEmpty { return appModules.contains(image) }
    if let process, image == process { return true }
    if frame.isInSystem || isIdentifiedAsApple(frame.image) { return false }
    if let symbol = frame.symbol, symbol == "start" || symbol == "_dyld_start" { return false }
    if let path = frame.image, isSystem(path: path) { return false }
    return !isSystem(image: image)
  }

  /// The last part of a path, without library prefixes and suffixes.
  private static func name(_ image: String) -> String {
    let last = image.split(separator: "/").last.map(String.init) ?? image
    // Reports of macOS name the system's images by their identifiers.
    return last.hasPrefix("com.apple.") ? String(last.dropFirst(10)) : last
  }

  /// Whether the name of an image is an identifier of Apple's, whose last part need not be the name of a framework:
  /// `com.apple.security`, `com.apple.audio.toolbox.AudioToolbox`.
  private static func isIdentifiedAsApple(_ image: String?) -> Bool {
    image?.hasPrefix("com.apple.") == true
  }

  /// Whether an image at `path` is part of an operating system, also of a simulated one.
  static func isSystem(path: String) -> Bool {
    path.hasPrefix("/System/") && !path.hasPrefix("/System/Volumes/Data/")
      || path.hasPrefix("/usr/lib/") || path.contains("/RuntimeRoot/")
      || path.contains("CoreSimulator/") && !path.contains("/Containers/")
  }

  private static func isSystem(image: String) -> Bool {
    if image == "???" || image == "..." || image.hasPrefix("dyld") || image.hasPrefix("libswift") {
      return true
    }
    if image.hasPrefix("lib"), image.hasSuffix(".dylib") || image.contains(".so") { return true }
    if frameworks.contains(image) { return true }
    // The private frameworks of each system begin like the public ones.
    return prefixes.contains { image.hasPrefix($0) } && !image.contains("+")
  }

  private static let prefixes = [
    "AVF", "AVKit", "CoreUI", "UIKit", "SwiftUI", "WebKit", "WebCore", "JavaScriptCore",
  ]

  private static let frameworks: Set<String> = [
    "Accelerate", "Accounts", "AddressBook", "AdSupport", "AppKit", "AppleScriptKit",
    "AssetsLibrary",
    "AttributeGraph", "AudioToolbox", "AuthenticationServices", "AVFAudio", "AVFCapture", "AVFCore",
    "AVFoundation", "AVKit", "BackBoardServices", "BaseBoard", "BoardServices", "CFNetwork",
    "CloudKit", "CoreAnimation", "CoreAudio", "CoreBluetooth", "Combine", "Contacts", "CoreData",
    "CoreFoundation", "CoreGraphics", "CoreImage", "CoreLocation", "CoreMedia", "CoreMotion",
    "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreVideo", "DataDetectorsUI",
    "EventKit", "ExternalAccessory", "FileProvider", "FinderKit", "Foundation",
    "FrontBoardServices", "GameController", "GameKit", "GLKit", "GraphicsServices", "HealthKit",
    "HIToolbox", "HomeKit", "IOKit", "IOSurface", "ImageIO", "JavaScriptCore", "LinkPresentation",
    "LocalAuthentication", "MapKit", "MediaPlayer", "MediaToolbox", "MessageUI", "Messages",
    "Metal",
    "MetalKit", "MobileCoreServices", "MultipeerConnectivity", "NetworkExtension", "OpenGLES",
    "Network", "PDFKit", "PassKit", "Photos", "PhotosUI", "PlugInKit", "QuartzCore", "QuickLook",
    "RunningBoardServices", "SafariServices", "SceneKit", "ScreenReaderCore", "Security",
    "SkyLight", "Social", "SpriteKit", "StoreKit", "SwiftUI", "SwiftUICore", "SystemConfiguration",
    "TextInput", "TextInputUI", "Twitter", "UIAccessibility", "UIKit", "UIKitCore", "UIKitServices",
    "UserNotifications", "VideoToolbox", "ViewBridge", "VisionKit", "Vision", "WatchConnectivity",
    "WatchKit", "WebKit", "WebKitLegacy", "XCTAutomationSupport", "XCTest", "XCTestCore",
    "XCUIAutomation", "XCTestSupport", "IDEFoundation", "Python3", "gnustep-base", "dyld_sim",
    "AccessibilityUtilities", "UIKitMacHelper", "libsystem_kernel", "libdispatch", "libobjc",
    "AppleEvents", "AE", "LaunchServices", "Automator", "Quartz", "ImageKit", "InputMethodKit",
    "Flutter", "React", "hermes", "Cordova", "CordovaLib", "NativeScript", "AVFCore",
    "libdyld", "libsystem_pthread", "libxpc", "libGPUSupport", "CoreSimulator",
    "SpringBoardFoundation",
    // In reports without a list of images, which says it itself.
    "AVConference", "AXRuntime", "AppSupport", "AppleMediaServices", "ApplicationServices",
    "AssistantServices", "AuthKit", "BackgroundTasks", "CMCapture", "CMPhoto", "CalendarUIKit",
    "CallKit", "CameraKit", "Celestial", "ContactsUI", "ContactsUICore", "CoreAnalytics",
    "CoreAutoLayout", "CoreDuet", "CoreDisplay", "CoreHaptics", "CoreHandwriting", "CoreMIDI",
    "CoreML", "CoreMaterial", "CoreMediaIO", "CorePDF", "CoreSVG", "CoreWLAN", "CryptoTokenKit",
    "DVTFoundation", "DesktopServicesPriv", "DiscRecording", "DocumentManager",
    "DocumentManagerCore", "EventKitUI", "GameplayKit", "GeoServices", "HIServices",
    "ImageCaptureCore", "IOBluetooth", "Intents", "IntentsUI", "MPSCore", "MarkupUI",
    "MediaAccessibility", "MediaExperience", "MediaRemote", "MetalPerformanceShaders",
    "MetalTools", "NaturalLanguage", "OSAKit", "OpenCL", "OpenDirectory", "OpenGL", "PencilKit",
    "PhotoLibrary", "PhotoLibraryServices", "PhotosFormats", "PhotosUICore", "PlatterKit",
    "PointerUIServices", "PrintCore", "PrintKitUI", "PushKit", "QuickLookSupport",
    "QuickLookThumbnailing", "QuickLookUI", "RealityFoundation", "RealityKit", "RemoteTextInput",
    "RemoteViewServices", "ReplayKit", "ScreenReaderOutput", "ScriptingBridge",
    "SecurityFoundation", "SecurityInterface", "ServiceManagement", "ShareSheet",
    "SharedWithYou", "Sharing", "SidecarUI", "SpeechRecognitionCore", "SpringBoardServices",
    "TCC", "TelephonyUtilities", "TextToSpeech", "UIFoundation", "UniformTypeIdentifiers",
    "UserActivity", "VectorKit", "VoiceServices", "iTunesLibrary", "iTunesStore", "vImage",
    "ARKit", "IDEKit", "DVTKit", "DebuggerUI",
  ]

  private static let symbolPrefixes = [
    "-[NS", "+[NS", "-[_NS", "+[_NS", "-[__NS", "+[__NS", "-[UI", "+[UI", "-[_UI", "+[_UI", "-[CA",
    "+[CA", "-[AV", "-[WK", "-[WebK", "-[MP", "-[CK", "NSKeyValue", "_NSKeyValue", "_NSSet",
    "NSKVO",
    "_NSKVO", "objc_", "_objc_", "__exceptionPreprocess", "_exceptionPreprocess",
    "exceptionPreprocess",
    "___exception", "___forwarding___", "_CF", "__CF", "CF", "_dispatch", "dispatch_", "__dispatch",
    "_pthread", "pthread_", "start", "thread_start", "GSEvent", "UIApplicationMain",
    "NSApplicationMain", "_NS", "__NS", "NS", "_UI", "UI", "mach_msg", "__kill", "__pthread_kill",
    "abort",
    "_abort", "std::", "__cxa", "_Unwind", "lookUpImp", "object_", "class_", "__workq", "_start",
    "__libc", "Swift.", "Foundation.", "libobjc", "_os_", "CA::", "__handle", "_run", "-[FBS",
    "-[BS",
    "_BSX", "__swift", "swift_", "_swift", "closure #1 in NSKeyValue", "@objc NSKeyValue",
    "NSKeyValueObservation.",
    "_KeyValueCodingAndObserving", "-[XCT", "-[GSKVO", "-[GS", "+[GS", "raise", "gsignal",
    "KVO_IS_RETAINING_ALL_OBSERVERS", "-[CF", "+[CF", "CAAnimation_", "CALayer_",
  ]

  /// Functions that only forward a call, in any image: message stubs, and the bridges of other languages.
  private static func isTrampoline(_ symbol: String) -> Bool {
    trampolines.contains(where: symbol.hasPrefix) || exactTrampolines.contains(symbol)
  }

  /// Of Mono, which an app contains.
  private static let exactTrampolines: Set<String> = [
    "throw_exception", "exception_handler", "invoke_objc_method_implementation",
    "native_to_managed_trampoline", "throw_ns_exception",
  ]

  private static let trampolines = [
    "objc_msgSend", "_objc_msgSend", "-[NSObject performSelector", "+[NSObject performSelector",
    "-[NSInvocation invoke", "__invoking___", "xamarin_", "mono_", "_mono_", "do_invoke_method",
    "monotouch_", "wrapper_managed_to_native_", "wrapper_native_to_managed_",
    "wrapper_runtime_invoke_", "ObjCRuntime_Runtime_", "MonoTouch_ObjCRuntime_Runtime_",
    "facebook::", "RCTNativeModule", "-[RCTModuleMethod", "-[RCTCxxBridge", "-[RCTBridge",
    "-[RCTUIManager flushUIBlocks", "__44-[RCTCxxBridge", "flutter::", "-[FlutterMethodChannel",
    "__45-[FlutterMethodChannel", "-[FlutterEngine", "-[CDVCommandQueue", "-[CDVCommandDelegate",
    "-[CDVViewController", "-[CDVPlugin", "tns::", "ffi_call", "NativeScript::", "hermes::",
  ]

  private static func isSystem(managed name: String) -> Bool {
    [
      "ObjCRuntime.", "Foundation.", "UIKit.", "AppKit.", "System.", "Xamarin.", "Mono.", "WebKit.",
      "AVFoundation.", "CoreAnimation.", "UIApplicationMain", "Microsoft.", "evaluate",
      "moduleEvaluation", "promiseReactionJob", "requestInstantiate",
    ].contains(where: name.hasPrefix)
  }

  private static func isSystem(symbol: String) -> Bool {
    guard symbolPrefixes.contains(where: symbol.hasPrefix) else { return false }
    // A category of the user's on a class of the system's has its own name in parentheses.
    return true
  }
}
