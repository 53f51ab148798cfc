// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// Targets that need swift-syntax compile to nothing unless this trait is enabled, and swift-syntax is not fetched.
let withMacros: TargetDependencyCondition? = .when(traits: ["Macros"])
let withOpenCombine: TargetDependencyCondition? = .when(traits: ["OpenCombineAdapter"])
let withTelemetry: TargetDependencyCondition? = .when(traits: ["Telemetry"])
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
    .library(name: "KVOSafetyTelemetry", targets: ["KVOSafetyTelemetry"]),
    .library(name: "KVOSafetyTesting", targets: ["KVOSafetyTesting"]),
    .executable(name: "kvo-audit", targets: ["kvo-audit"]),
    .executable(name: "kvo-audit-serve", targets: ["kvo-audit-serve"]),
    .plugin(name: "KVOAuditPlugin", targets: ["KVOAuditPlugin"]),
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
    .trait(
      name: "Telemetry",
      description: "KVOSafetyTelemetry: health for swift-metrics, findings for swift-log."
    ),
    // The adapters without external dependencies are available as products without a trait.
    .default(enabledTraits: ["Macros", "NotificationAdapter", "ObservationAdapter", "Serve"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    // MARK: - What several test targets share

    .target(name: "TestSupport", path: "Tests/Support"),

    // MARK: - The waist: what an event is, and what is wrong

    // The fields of all events, and the generator of code and tables from them. Nothing depends on these at run time.
    .target(name: "KVOSchema"),
    .executableTarget(name: "kvo-generate", dependencies: ["KVOSchema"]),

    // The checksum of binary logs, in C because the recorder's C needs it.
    .target(name: "CKVOChecksum"),
    .target(name: "KVOTrace"),
    .testTarget(
      name: "KVOTraceTests",
      dependencies: ["TestSupport", "KVOSchema", "KVOTrace", "KVOTraceBinary", "KVOTraceJSON"]
    ),

    // Operations that Swift cannot express, in a few lines of C each.
    .target(name: "CKVOIntrinsics"),
    .target(name: "KVORules", dependencies: ["KVOTrace"]),
    .testTarget(
      name: "KVORulesTests",
      // KVOLogTools: the firing log of each rule is also anonymized.
      dependencies: [
        "TestSupport", "KVOAudit", "KVOFindings", "KVOLogTools", "KVOReplay", "KVOReports",
        "KVORules", "KVOTrace",
      ]
    ),

    // MARK: - Inside the observed process

    // libunwind is opened at run time: linking it would take over the exception handling of the
    // whole host process.
    .target(name: "CKVOUnwind"),
    .target(name: "CKVORecorder", dependencies: ["CKVOChecksum", "CKVOUnwind"]),
    .target(name: "KVORecorder", dependencies: ["KVOTrace", "CKVOUnwind", "CKVORecorder"]),
    // Tests that need a separate process: a file size limit, its main thread, callbacks that are set once, a missing
    // libunwind, a crash.
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
        // KVOAudit: a log in several files is judged as a whole.
        "KVOAudit", "KVOReports", "KVORecorder", "KVOReplay", "KVORules", "KVOTrace",
        "KVOTraceBinary", "KVOTraceJSON", "CKVORecorder", "CKVOUnwind", "ProbeC", "RecorderProbe",
        "CrashProbe", "KilledMidway", "Correct",
      ]
    ),

    // Objective-C programs. The library that they run with is not a product: SwiftPM links every library to Swift's
    // runtime, so Scripts/preload builds it from the C targets. Here they are checked, and tested.
    .target(name: "CKVORuntime"),
    .target(name: "CKVOPreload", dependencies: ["CKVOUnwind", "CKVORecorder", "CKVORuntime"]),
    .testTarget(
      name: "KVOPreloadTests",
      dependencies: ["TestSupport", "kvo-audit", "ObjectiveCProbe"],
      exclude: ["Reports"]
    ),

    .target(name: "CKVOLifetime"),
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
        "KVOSafety", "TestSupport",
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
        "KVOTrace", "KVORules", "KVORetainRegistry", "KVORecorder", "CKVOUnwind", "CKVOLifetime",
        "CKVOIntrinsics",
        .target(name: "KVOSafetyMacros", condition: withMacros),
      ]
    ),
    .testTarget(
      name: "KVOSafetyTests",
      dependencies: [
        "TestSupport", "KVOSafety", "KVORecorder", "KVOReplay", "KVORetention",
        "KVORules", "KVOTrace",
      ]
    ),

    // The layout of Swift's metadata, and queries of the allocator.
    .target(name: "CKVORetention"),
    // Connects the search and the library that knows the observations: neither depends on the other.
    .target(name: "KVORetainRegistry", dependencies: ["KVOTrace"]),
    // The objects of a process in a file, and the analysis of such files.
    .target(name: "KVOHeap", dependencies: ["CKVOChecksum"]),
    .testTarget(name: "KVOHeapTests", dependencies: ["TestSupport", "KVOHeap"]),
    .target(
      name: "KVORetention",
      dependencies: ["KVOTrace", "KVOHeap", "KVORetainRegistry", "CKVORetention", "CKVOUnwind"]
    ),
    // The shapes of references that tests try, as a program: `Scripts/retention-builds` builds it in other
    // configurations than tests.
    .executableTarget(
      name: "RetentionProbe",
      dependencies: ["KVORetention"],
      path: "Tests/RetentionProbe"
    ),
    .testTarget(
      name: "KVORetentionTests",
      dependencies: [
        "CKVORetention", "KVOHeap", "KVORetainRegistry", "KVORetention", "KVORecorder", "KVORules",
        "KVOSymbols", "KVOTrace", "RetentionProbe", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: withOpenCombine),
      ]
    ),

    // The names of other libraries for the same functions, for code that is being ported.
    .target(name: "KVOSafetySpelling", dependencies: ["KVOSafety"]),
    // The adapters: each call of the wrapping guide is compiled here.
    .testTarget(
      name: "KVOSafetySpellingTests",
      dependencies: [
        "TestSupport", "KVOSafetySpelling", "KVOSafety", "KVOSafetyNotifications",
        "KVOSafetyObjectiveC", "KVOSafetyObservation", "KVOSafetyOpenCombine",
        .product(name: "OpenCombine", package: "OpenCombine", condition: withOpenCombine),
      ]
    ),

    // MARK: - What Swift programs on Linux observe otherwise

    // Each compiles to nothing unless its trait is enabled.
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

    // Compiles to nothing unless its trait is enabled.
    .target(
      name: "KVOSafetyTelemetry",
      dependencies: [
        "KVOSafety", "KVORules",
        .product(name: "Logging", package: "swift-log", condition: withTelemetry),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: withTelemetry),
      ]
    ),
    .testTarget(
      name: "KVOSafetyTelemetryTests",
      dependencies: [
        "BankModel", "KVOSafetyTelemetry", "KVOSafety", "TestSupport",
        .product(name: "InMemoryLogging", package: "swift-log", condition: withTelemetry),
        .product(name: "Logging", package: "swift-log", condition: withTelemetry),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: withTelemetry),
      ]
    ),

    // Objects of an Objective-C runtime, which Swift on Linux does not support. No trait: it links nothing and is
    // small.
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

    // Both forms of a log. Separate from KVOTrace, which is linked into every observed program: programs need neither,
    // and should not have a parser of JSON.
    .target(name: "KVOTraceBinary", dependencies: ["CKVOChecksum", "KVOTrace"]),
    .target(name: "KVOTraceJSON", dependencies: ["KVOTrace"]),

    // The rules over a whole log. Observed programs judge one object at a time, and do not link it.
    .target(name: "KVOReplay", dependencies: ["KVOTrace", "KVORules", "CKVOIntrinsics"]),
    // The processing of findings outside of the observed program.
    .target(name: "KVOFindings", dependencies: ["KVOTrace", "KVORules"]),

    // Counts, columns and JSON in reports and tools.
    .target(name: "KVOText", dependencies: ["KVORules", "KVOTrace", "KVOTraceJSON"]),
    // From logs to a report: input, replay, suppressions, comparison with a baseline.
    .target(
      name: "KVOAudit",
      dependencies: [
        "CKVOScan", "KVOText", "KVOTrace", "KVOTraceBinary", "KVOTraceJSON", "KVORules",
        "KVOReplay", "KVOFindings", "KVOSystem",
      ]
    ),
    // The file of a report, which is also read back and merged.
    .target(
      name: "KVOReportFile",
      dependencies: [
        "KVOAudit", "KVOText", "KVOTrace", "KVOTraceJSON", "KVORules", "KVOFindings",
      ]
    ),
    // The output formats: text, Markdown, SARIF, JUnit XML, the page.
    .target(
      name: "KVOReports",
      dependencies: [
        "KVOAudit", "KVOReportFile", "KVOText", "KVOTrace", "KVORules", "KVOReplay",
        "KVOFindings",
      ],
      resources: [.embedInCode("HTML/Page")]
    ),
    // The objects of a report in a heap snapshot, and what holds them.
    .target(
      name: "KVOHeapAudit",
      dependencies: ["KVOAudit", "KVOHeap", "KVORules", "KVOTrace"]
    ),
    // Functions on logs besides auditing: convert, anonymize, validate, count.
    .target(
      name: "KVOLogTools",
      dependencies: [
        "KVOAudit", "KVOText", "KVOTrace", "KVOTraceBinary", "KVOTraceJSON", "KVORules",
        "KVOReplay",
      ]
    ),
    // These also test KVOReportFile and KVOReports: the tests share the reports.
    .testTarget(
      name: "KVOAuditTests",
      dependencies: [
        "TestSupport", "KVOAudit", "KVOCompression", "KVOFindings", "KVOHeap", "KVOHeapAudit",
        "KVOImport", "KVOLogTools",
        "KVOReplay", "KVOReportFile", "KVOReports", "KVOText", "KVORules", "KVOTrace",
        "KVOTraceBinary",
        "KVOTraceJSON",
      ]
    ),
    .testTarget(
      name: "KVOLogToolsTests",
      dependencies: [
        "TestSupport", "KVOAudit", "KVOLogTools", "KVORules", "KVOSchema", "KVOTrace",
        "KVOTraceJSON",
      ]
    ),

    // Imports the output of runtimes and crash reporters as findings. CKVOScan, which finds the kind of an input, too, has
    // vector operations, which Swift cannot express as single instructions.
    .target(name: "CKVOScan"),
    // Declarations of functions that the Swift runtime exports.
    .systemLibrary(name: "CSwiftDemangle"),
    .target(
      name: "KVOImport",
      dependencies: [
        "CKVOScan", "CSwiftDemangle", "KVOTrace", "KVORules", "KVOFindings", "KVOSystem",
      ]
    ),
    .testTarget(
      name: "KVOImportTests",
      dependencies: ["CKVOScan", "KVOFindings", "KVOImport", "KVORules", "TestSupport"]
    ),

    // pkgConfig is omitted: the flags of libdw.pc are the defaults, and a machine without pkg-config can build, too.
    .systemLibrary(name: "CElfutils", providers: [.apt(["libdw-dev"])]),
    .target(
      name: "KVOSymbols",
      dependencies: ["CElfutils", "CKVOChecksum", "CSwiftDemangle", "KVOSystem", "KVOTrace"]
    ),
    .testTarget(
      name: "KVOSymbolsTests",
      dependencies: [
        "TestSupport", "KVOSymbols", "CSwiftDemangle", "KVORules", "KVOTrace",
      ]
    ),

    // Programs, threads and folders by calls of the system: the half of Foundation that has them comes with 34 MB of data,
    // which each start of kvo-audit would load.
    .target(name: "KVOSystem"),
    // Runs a program so that it is recorded: finds it, determines its kind, waits for its end.
    .target(name: "KVOLaunch", dependencies: ["CElfutils", "KVOSystem"]),
    .testTarget(name: "KVOLaunchTests", dependencies: ["KVOLaunch", "KVOSystem", "TestSupport"]),

    // Exports for other tools: traces, flame graphs, tables. A separate target because it links SQLite. GRDB would add
    // a minute to each build: only filling tables is needed here.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "KVOExport",
      dependencies: [
        "CSQLite", "KVOAudit", "KVOFindings", "KVOReplay", "KVORules", "KVOTrace", "KVOTraceJSON",
      ]
    ),
    .testTarget(
      name: "KVOExportTests",
      dependencies: [
        "KVOExport", "CSQLite", "KVOAudit", "KVOFindings", "KVORules", "KVOTrace", "TestSupport",
      ]
    ),

    // Compressed inputs, and the size of a report for services that accept it compressed. A separate target because it
    // links libraries that test bundles, which link KVOAudit, do not need.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "KVOCompression", dependencies: ["CLzma", "CZlib", "CZstd", "KVOAudit"]),

    // MARK: - Where people meet it

    .target(
      name: "KVOSafetyTesting",
      dependencies: [
        "KVOSafety", "KVORetainRegistry", "KVORetention", "KVORecorder", "KVOAudit", "KVOFindings",
        "KVOSymbols", "KVORules", "KVOTrace", "KVOTraceJSON",
      ]
    ),
    .testTarget(
      name: "KVOSafetyTestingTests",
      dependencies: [
        "KVOSafetyTesting", "KVOSafety", "KVOAudit", "KVOReportFile", "KVOReports", "KVOFindings",
        "KVORecorder", "KVORetention", "KVORules", "KVOSymbols", "AuditedXCTest", "SuiteFaults",
        "TestSupport",
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
        "KVOAudit", "KVOCompression", "KVOExport", "KVOFindings", "KVOHeap", "KVOHeapAudit",
        "KVOImport", "KVOLaunch", "KVOSystem",
        "KVOLogTools", "KVOReportFile", "KVOReports", "KVOSymbols", "KVORules", "KVOText",
        "KVOTrace", "KVOTraceJSON",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // Writes a log and a heap snapshot of the same objects.
    .executableTarget(
      name: "SnapshotProbe",
      dependencies: ["BankModel", "KVORetention", "KVOSafety"],
      path: "Tests/Programs/SnapshotProbe"
    ),
    // Leaves loops waiting at its exit, or ends as many as it is told to.
    .executableTarget(
      name: "ParkedProbe",
      dependencies: ["BankModel", "KVOSafety"],
      path: "Tests/Programs/ParkedProbe"
    ),
    // The program that `kvo-audit watch --serve` starts: separate, so that kvo-audit itself loads no server. Without
    // its trait it explains how to enable it.
    .executableTarget(
      name: "kvo-audit-serve",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio", condition: withServe),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: withServe),
        .product(name: "NIOPosix", package: "swift-nio", condition: withServe),
      ]
    ),
    // No permission is needed: it reads logs, and writes those of tests into the folder that SwiftPM gives it.
    .plugin(
      name: "KVOAuditPlugin",
      capability: .command(
        intent: .custom(
          verb: "kvo-audit",
          description: "Audit logs of key-value observing; kvo-audit test: those of the tests"
        )
      ),
      dependencies: ["kvo-audit"]
    ),
    // Runs the built programs; imports kvo-audit alone, for what no run of it shows. KVOHeap writes the input of one of
    // them, and RetentionProbe is read by it while it runs.
    .testTarget(
      name: "KVOAuditCommandTests",
      dependencies: [
        "CKVORetention", "TestSupport", "KVOHeap", "Demo", "ParkedProbe", "RetentionProbe",
        "SnapshotProbe", "kvo-audit", "kvo-audit-serve",
      ]
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

// Runs the built programs; imports none of them.
package.targets.append(
  .testTarget(
    name: "EndToEndTests",
    dependencies: (examples + ["TestSupport", "kvo-audit", "kvo-audit-serve"]).map {
      .byName(name: $0)
    }
  )
)

// MARK: - What Benchmarks/ measures of this package

// Here and not in the package Benchmarks, because they call `package` declarations.
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
      "BenchmarkDriver", "KVOAudit", "KVORecorder", "KVOReplay", "KVORules", "KVOTrace",
      "KVOTraceBinary", "KVOTraceJSON",
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

// An executable without a main: libFuzzer provides it, so that no ordinary build can link it. `make fuzz` sets the
// variable. Every other build compiles it as an unused library, so that compile errors are found there.
let fuzzed: [Target.Dependency] = [
  "KVOAudit", "KVOFindings", "KVOHeap", "KVOImport", "KVOLogTools", "KVOReportFile", "KVOReports",
  "KVORules", "KVOSymbols", "KVOTrace", "KVOTraceBinary",
]
package.targets.append(
  Context.environment["KVO_SAFETY_FUZZ"] != nil
    ? .executableTarget(
      name: "ReaderFuzzer",
      dependencies: fuzzed,
      path: "Tests/ReaderFuzzer",
      exclude: ["Corpus"]
    )
    : .target(
      name: "ReaderFuzzer",
      dependencies: fuzzed,
      path: "Tests/ReaderFuzzer",
      exclude: ["Corpus"]
    )
)

// MARK: - Folders

// A folder of Sources is a stage in the diagram of ARCHITECTURE.md. KVOSafety and kvo-audit, which readers look for
// first, are next to them.
let stages = [
  "Trace": ["CKVOChecksum", "KVOSchema", "KVOTrace", "KVOTraceBinary", "KVOTraceJSON"],
  "Record": ["CKVORecorder", "CKVOUnwind", "KVORecorder"],
  "Observe": [
    "CKVOIntrinsics", "CKVOLifetime", "KVOSafetyMacros", "KVOSafetyNotifications",
    "KVOSafetyObservation", "KVOSafetyOpenCombine", "KVOSafetySpelling", "KVOSafetyTelemetry",
    "KVOSafetyTesting",
  ],
  "Judge": ["KVOFindings", "KVOReplay", "KVORules"],
  "Retain": ["CKVORetention", "KVOHeap", "KVORetainRegistry", "KVORetention"],
  "ObjectiveC": ["CKVOObjectiveC", "CKVOPreload", "CKVORuntime", "KVOSafetyObjectiveC"],
  "Audit": [
    "CElfutils", "CKVOScan", "CLzma", "CSwiftDemangle", "CZlib", "CZstd", "KVOAudit",
    "KVOCompression", "KVOHeapAudit", "KVOImport",
    "KVOReportFile", "KVOReports", "KVOSymbols", "KVOText",
  ],
  "Tools": [
    "CSQLite", "KVOExport", "KVOLaunch", "KVOLogTools", "KVOSystem", "kvo-audit-serve",
    "kvo-generate",
  ],
]
for (stage, names) in stages {
  for target in package.targets where names.contains(target.name) {
    target.path = "Sources/\(stage)/\(target.name)"
  }
}

// MARK: - Some test targets alone

// Code that reads memory, and threads, are also tested in a release build: `make check` and `make stress` set the
// variable to the name of the tests, or to several with commas between them, and build only those and their
// dependencies, in a third of the time.
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

// MARK: - Pure targets, optimized in a debug build

// Their tests, and those that run kvo-audit, take a third of the time so. `make test` sets the variable; packages that
// depend on this one could not be built with these flags.
if Context.environment["KVO_SAFETY_OPTIMIZED"] != nil {
  let pure = ["Trace", "Judge", "Audit", "Tools"].flatMap { stages[$0] ?? [] } + ["kvo-audit"]
  for target in package.targets where pure.contains(target.name) && target.type != .system {
    target.swiftSettings = [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
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
