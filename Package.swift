// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// What needs swift-syntax is empty without this trait, and swift-syntax is not fetched.
let withMacros: TargetDependencyCondition? = .when(traits: ["Macros"])
let withOpenCombine: TargetDependencyCondition? = .when(traits: ["OpenCombineAdapter"])
let withServe: TargetDependencyCondition? = .when(traits: ["Serve"])

let package = Package(
  name: "KVOSafety",
  products: [
    .library(name: "KVOSafety", targets: ["KVOSafety"]),
    .library(name: "KVORetention", targets: ["KVORetention"]),
    .library(name: "KVOSafetyNotifications", targets: ["KVOSafetyNotifications"]),
    .library(name: "KVOSafetyObservation", targets: ["KVOSafetyObservation"]),
    .library(name: "KVOSafetyObjectiveC", targets: ["KVOSafetyObjectiveC"]),
    .library(name: "KVOSafetyOpenCombine", targets: ["KVOSafetyOpenCombine"]),
    .library(name: "KVOSafetySpelling", targets: ["KVOSafetySpelling"]),
    .library(name: "KVOSafetyTesting", targets: ["KVOSafetyTesting"]),
    .executable(name: "kvo-audit", targets: ["kvo-audit"]),
    .executable(name: "kvo-audit-serve", targets: ["kvo-audit-serve"]),
  ],
  traits: [
    .trait(name: "Macros", description: "@KeyValueObservable, which is built with swift-syntax."),
    .trait(
      name: "NotificationAdapter",
      description:
        "KVOSafetyNotifications: NotificationCenter's observers in log, census and rules."
    ),
    .trait(
      name: "ObservationAdapter",
      description: "KVOSafetyObservation: the same for the standard library's Observation."
    ),
    .trait(
      name: "OpenCombineAdapter",
      description: "KVOSafetyOpenCombine: the same for OpenCombine, which is fetched for it."
    ),
    .trait(
      name: "Serve",
      description: "kvo-audit watch --serve, with SwiftNIO, which is fetched for it."
    ),
    // The adapters that need nothing to be fetched are there for who asks for their product.
    .default(enabledTraits: ["Macros", "NotificationAdapter", "ObservationAdapter", "Serve"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // MARK: - What several test targets share

    .target(name: "TestSupport", path: "Tests/Support"),

    // MARK: - The waist: what an event is, and what is wrong

    .target(name: "KVOTrace"),
    .testTarget(
      name: "KVOTraceTests",
      dependencies: ["TestSupport", "KVOTrace", "KVOTraceJSON"]
    ),

    // The one instruction that Swift has no word for.
    .target(name: "CKVOPrefetch"),
    .target(name: "KVORules", dependencies: ["KVOTrace", "CKVOPrefetch"]),
    .testTarget(
      name: "KVORulesTests",
      // KVOAudit: the firing log of each rule is also anonymised.
      dependencies: ["TestSupport", "KVOAudit", "KVORules", "KVOTrace"]
    ),

    // MARK: - Inside the observed process

    // libunwind is opened at run time: linking it would take over the exception handling of the
    // whole host process.
    .target(name: "CKVOUnwind"),
    .target(name: "CKVORecorder", dependencies: ["CKVOUnwind"]),
    .target(name: "KVORecorder", dependencies: ["KVOTrace", "CKVOUnwind", "CKVORecorder"]),
    // What needs a process of its own: a file size limit, its main thread, callbacks that are set
    // once, a missing libunwind, a death.
    .executableTarget(
      name: "RecorderProbe",
      dependencies: [
        "BankModel", "KVOSafety", "KVORecorder", "KVOTrace", "CKVORecorder", "CKVOUnwind",
        "CKVOLifetime", "ProbeC",
      ],
      path: "Tests/RecorderProbe"
    ),
    .target(name: "ProbeC", dependencies: ["CKVORecorder"], path: "Tests/Programs/ProbeC"),
    // Crashes on purpose, which needs some C.
    .target(name: "CrashingC", path: "Tests/Programs/CrashingC"),
    .executableTarget(
      name: "CrashProbe",
      dependencies: ["CKVORecorder", "CrashingC"],
      path: "Tests/Programs/CrashProbe"
    ),
    .testTarget(
      name: "KVORecorderTests",
      dependencies: [
        "TestSupport",
        // KVOAudit: a log in parts is judged as a whole.
        "KVOAudit", "KVORecorder", "KVORules", "KVOTrace", "CKVORecorder", "CKVOUnwind", "ProbeC",
        "RecorderProbe", "CrashProbe", "KilledMidway", "Correct",
      ]
    ),

    // Objective-C programs. What they are run with is no product: SwiftPM links every library to
    // Swift's runtime, so Scripts/preload makes it of these four. Here they are checked, and tested.
    .target(name: "CKVORuntime"),
    .target(name: "CKVOPreload", dependencies: ["CKVOUnwind", "CKVORecorder", "CKVORuntime"]),
    .testTarget(
      name: "KVOPreloadTests",
      dependencies: ["TestSupport", "kvo-audit", "ObjectiveCProbe"],
      exclude: ["Reports"]
    ),

    .target(name: "CKVOLifetime"),
    // One word of thread-local storage, read while a change is delivered.
    .target(name: "CKVODelivery"),
    // Where a callback runs, which the runtime says in C alone.
    .target(name: "CKVOExecutor"),
    .macro(
      name: "KVOSafetyMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftDiagnostics", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntax", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: withMacros),
      ]
    ),
    .testTarget(
      name: "KVOSafetyMacrosTests",
      dependencies: [
        "KVOSafety",
        .target(name: "KVOSafetyMacros", condition: withMacros),
        .product(name: "SwiftDiagnostics", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftParser", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntax", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax", condition: withMacros),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: withMacros),
        .product(
          name: "SwiftSyntaxMacrosGenericTestSupport",
          package: "swift-syntax",
          condition: withMacros
        ),
      ]
    ),
    .target(
      name: "KVOSafety",
      dependencies: [
        "KVOTrace", "KVORules", "KVORecorder", "CKVOUnwind", "CKVOLifetime", "CKVODelivery",
        "CKVOExecutor",
        .target(name: "KVOSafetyMacros", condition: withMacros),
      ]
    ),
    .testTarget(
      name: "KVOSafetyTests",
      dependencies: [
        "TestSupport", "KVOSafety", "KVORecorder", "KVORetention", "KVORules", "KVOTrace",
      ]
    ),

    // The layout of Swift's metadata, and what the allocator is asked.
    .target(name: "CKVORetention"),
    .target(name: "KVORetention", dependencies: ["KVOTrace", "KVORules", "CKVORetention"]),
    // The shapes of references that tests try, as a program: `Scripts/retention-builds` builds it in ways
    // in which tests are not built.
    .executableTarget(
      name: "RetentionProbe",
      dependencies: ["KVORetention"],
      path: "Tests/RetentionProbe"
    ),
    .testTarget(
      name: "KVORetentionTests",
      dependencies: [
        "KVORetention", "KVORecorder", "KVORules", "KVOSymbols", "KVOTrace", "RetentionProbe",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: withOpenCombine),
      ]
    ),

    // The names that other libraries have for the same, for code that is being ported.
    .target(name: "KVOSafetySpelling", dependencies: ["KVOSafety"]),
    // The adapters: each call of the wrapping guide is compiled here.
    .testTarget(
      name: "KVOSafetySpellingTests",
      dependencies: [
        "KVOSafetySpelling", "KVOSafety", "KVOSafetyNotifications", "KVOSafetyObjectiveC",
        "KVOSafetyObservation", "KVOSafetyOpenCombine",
        .product(name: "OpenCombine", package: "OpenCombine", condition: withOpenCombine),
      ]
    ),

    // MARK: - What Swift programs on Linux observe otherwise

    // Each is empty without its trait.
    .target(name: "KVOSafetyNotifications", dependencies: ["KVOSafety", "KVOTrace"]),
    .testTarget(
      name: "KVOSafetyNotificationsTests",
      dependencies: ["KVOSafetyNotifications", "KVOSafety", "KVOSafetyTesting", "KVORules"]
    ),
    .target(name: "KVOSafetyObservation", dependencies: ["KVOSafety", "KVOTrace"]),
    .testTarget(
      name: "KVOSafetyObservationTests",
      dependencies: ["KVOSafetyObservation", "KVOSafety", "KVOSafetyTesting", "KVORules"]
    ),
    .target(
      name: "KVOSafetyOpenCombine",
      dependencies: [
        "KVOSafety", "KVOTrace",
        .product(name: "OpenCombine", package: "OpenCombine", condition: withOpenCombine),
      ]
    ),
    .testTarget(
      name: "KVOSafetyOpenCombineTests",
      dependencies: [
        "KVOSafetyOpenCombine", "KVOSafety", "KVOSafetyTesting",
        .product(name: "OpenCombine", package: "OpenCombine", condition: withOpenCombine),
      ]
    ),

    // Objects of an Objective-C runtime, which Swift on Linux has no word for. No trait: it links nothing
    // and is small.
    .target(name: "CKVOObjectiveC", dependencies: ["CKVORuntime"]),
    .target(
      name: "KVOSafetyObjectiveC",
      dependencies: ["CKVOObjectiveC", "KVOSafety", "KVORecorder", "KVOTrace"]
    ),
    // Opens a library in Objective-C and observes its objects; KVOPreloadTests runs it.
    .executableTarget(
      name: "ObjectiveCProbe",
      dependencies: ["BankModel", "KVOSafetyObjectiveC", "KVOSafety", "TestSupport"],
      path: "Tests/Programs/ObjectiveCProbe"
    ),

    // MARK: - Anywhere, offline

    // Reading is a room of its own because it needs Foundation's JSON parser, and KVOTrace is
    // linked into every observed program, which should not load Foundation for it.
    .target(name: "KVOTraceJSON", dependencies: ["KVOTrace"]),

    .target(name: "KVOAudit", dependencies: ["KVOTrace", "KVOTraceJSON", "KVORules"]),
    .testTarget(
      name: "KVOAuditTests",
      dependencies: ["TestSupport", "KVOAudit", "KVORules", "KVOTrace", "KVOTraceJSON"]
    ),

    // What runtimes and crash reporters print, as findings.
    // Vectors, for which Swift has no word that becomes one instruction.
    .target(name: "CKVOScan"),
    .target(name: "KVOImport", dependencies: ["CKVOScan", "KVOTrace", "KVORules"]),
    .testTarget(
      name: "KVOImportTests",
      dependencies: ["CKVOScan", "KVOImport", "KVORules", "TestSupport"]
    ),

    // pkgConfig is left out: the flags of libdw.pc are the defaults, and a machine without
    // pkg-config builds just as well.
    .systemLibrary(name: "CElfutils", providers: [.apt(["libdw-dev"])]),
    .target(name: "KVOSymbols", dependencies: ["CElfutils", "KVOTrace", "KVORules"]),
    .testTarget(
      name: "KVOSymbolsTests",
      dependencies: ["TestSupport", "KVOSymbols", "CElfutils", "KVORules", "KVOTrace"]
    ),

    // Runs a program so that it is recorded: finds it, looks at what it is, waits for its end.
    .target(name: "KVOLaunch", dependencies: ["CElfutils"]),
    .testTarget(name: "KVOLaunchTests", dependencies: ["KVOLaunch", "TestSupport"]),

    // What other tools show: traces, flame graphs, tables. Apart from KVOAudit, so that what tests link
    // needs no SQLite. GRDB would do the same with a build of a minute in each configuration: what is
    // needed here is to fill tables.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "KVOExport", dependencies: ["CSQLite", "KVOAudit", "KVORules", "KVOTrace"]),
    .testTarget(
      name: "KVOExportTests",
      dependencies: ["KVOExport", "CSQLite", "KVOAudit", "KVORules", "KVOTrace", "TestSupport"]
    ),

    // MARK: - Where people meet it

    .target(
      name: "KVOSafetyTesting",
      dependencies: [
        "KVOSafety", "KVORetention", "KVORecorder", "KVOAudit", "KVOSymbols", "KVORules",
        "KVOTrace",
      ]
    ),
    .testTarget(
      name: "KVOSafetyTestingTests",
      dependencies: [
        "KVOSafetyTesting", "KVOSafety", "KVOAudit", "KVORules", "KVOSymbols", "AuditedXCTest",
        "SuiteFaults", "TestSupport",
      ]
    ),
    // The faults that the example suites of both test frameworks commit.
    .target(
      name: "SuiteFaults",
      dependencies: ["KVOSafety"],
      path: "Tests/Programs/SuiteFaults"
    ),
    // A bundle of XCTest as a program: its failures are read from its output.
    .executableTarget(
      name: "AuditedXCTest",
      dependencies: ["KVOSafetyTesting", "KVOSafety", "SuiteFaults"],
      path: "Tests/Programs/AuditedXCTest"
    ),

    .executableTarget(
      name: "kvo-audit",
      dependencies: [
        "KVOAudit", "KVOExport", "KVOImport", "KVOLaunch", "KVOSymbols", "KVORules", "KVOTrace",
        "KVOTraceJSON",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // The program that `kvo-audit watch --serve` starts: separate, so that kvo-audit itself loads no server.
    // Without its trait it says how to get it.
    .executableTarget(
      name: "kvo-audit-serve",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio", condition: withServe),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: withServe),
        .product(name: "NIOPosix", package: "swift-nio", condition: withServe),
      ]
    ),
    // Runs the built programs; nothing of them is imported.
    .testTarget(
      name: "KVOAuditCommandTests",
      dependencies: ["TestSupport", "kvo-audit", "kvo-audit-serve"]
    ),

    // MARK: - Programs with real faults, for the demo and the end-to-end tests

    .target(name: "BankModel", dependencies: ["KVOSafety"], path: "Examples/BankModel"),
  ]
)

let examples = [
  "DoubleRemove", "RemoveUnregistered", "ObservedDies", "ObserverDies", "UnhandledNotification",
  "UncompliantPath", "Correct", "KilledMidway", "Demo",
]

for example in examples {
  package.targets.append(
    .executableTarget(
      name: example,
      dependencies: ["BankModel", "KVOSafety"],
      path: "Examples/\(example)"
    )
  )
}

// Runs the built programs; nothing of them is imported.
package.targets.append(
  .testTarget(
    name: "EndToEndTests",
    dependencies: (examples + ["TestSupport", "kvo-audit", "kvo-audit-serve"]).map {
      .byName(name: $0)
    }
  )
)

// MARK: - What Benchmarks/ measures of this package

// Here and not in the package Benchmarks, because they call what is `package`.
package.targets += [
  .target(name: "BenchmarkDriver", path: "Benchmarks/Ours/BenchmarkDriver"),
  .executableTarget(
    name: "RecorderDriver",
    dependencies: ["BenchmarkDriver", "CKVORecorder", "KVORecorder", "KVOTrace"],
    path: "Benchmarks/Ours/RecorderDriver"
  ),
  .executableTarget(
    name: "DemoDriver",
    dependencies: ["BenchmarkDriver", "BankModel", "KVOSafety"],
    path: "Benchmarks/Ours/DemoDriver"
  ),
  .executableTarget(
    name: "ReplayDriver",
    dependencies: [
      "BenchmarkDriver", "KVOAudit", "KVORecorder", "KVORules", "KVOTrace", "KVOTraceJSON",
    ],
    path: "Benchmarks/Ours/ReplayDriver"
  ),
  .executableTarget(
    name: "RetentionDriver",
    dependencies: ["BenchmarkDriver", "KVORetention"],
    path: "Benchmarks/Ours/RetentionDriver"
  ),
  .executableTarget(
    name: "SymbolsDriver",
    dependencies: ["BenchmarkDriver", "KVOSymbols", "KVORules", "KVOTrace"],
    path: "Benchmarks/Ours/SymbolsDriver"
  ),
]

// MARK: - Fuzzing

// An executable without a main: libFuzzer brings it, so that no ordinary build can link it. `make fuzz`
// sets the variable.
if Context.environment["KVO_SAFETY_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "ImportFuzzer",
      dependencies: ["KVOImport", "KVORules"],
      path: "Tests/ImportFuzzer",
      exclude: ["Corpus"]
    )
  )
}

// MARK: - Some test targets alone

// What reads memory is tested in a release build, too, and so are threads: `make check` and `make stress`
// set the variable to the name of the tests, or to several with commas between them, and build those with what they
// need and nothing else, in a third of the time.
if let names = Context.environment["KVO_SAFETY_TESTS"] {
  var needed = Set(names.split(separator: ",").map(String.init))
  let unknown = needed.subtracting(package.targets.map(\.name))
  // Otherwise nothing would be built, which looks like success.
  precondition(unknown.isEmpty, "KVO_SAFETY_TESTS: no target is named \(unknown.sorted())")
  for _ in package.targets {
    for target in package.targets where needed.contains(target.name) {
      for dependency in target.dependencies {
        switch dependency {
        case .byNameItem(let name, _), .targetItem(let name, _): needed.insert(name)
        default: break
        }
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

// MARK: - Settings shared by every Swift target

for target in package.targets where target.type != .system && target.type != .plugin {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
