// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "KVOSafety",
  products: [
    .library(name: "KVOSafety", targets: ["KVOSafety"]),
    .library(name: "KVOSafetyTesting", targets: ["KVOSafetyTesting"]),
    .executable(name: "kvo-audit", targets: ["kvo-audit"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // MARK: - The waist: what an event is, and what is wrong

    .target(name: "KVOTrace"),
    .testTarget(name: "KVOTraceTests", dependencies: ["KVOTrace", "KVOTraceJSON"]),

    .target(name: "KVORules", dependencies: ["KVOTrace"]),
    .testTarget(name: "KVORulesTests", dependencies: ["KVORules", "KVOTrace"]),

    // MARK: - Anywhere, offline

    // Reading is a room of its own because it needs Foundation's JSON parser, and KVOTrace is
    // linked into every observed program, which should not load Foundation for it.
    .target(name: "KVOTraceJSON", dependencies: ["KVOTrace"]),

    // pkgConfig is left out: the flags of libdw.pc are the defaults, and a machine without
    // pkg-config builds just as well.
    .systemLibrary(name: "CElfutils", providers: [.apt(["libdw-dev"])]),
    .target(name: "KVOSymbols", dependencies: ["CElfutils", "KVOTrace", "KVORules"]),
    .testTarget(name: "KVOSymbolsTests", dependencies: ["KVOSymbols", "KVORules", "KVOTrace"]),
  ]
)

// MARK: - Settings shared by every Swift target

for target in package.targets where target.type != .system && target.type != .plugin {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
