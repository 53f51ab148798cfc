// swift-tools-version: 6.2
import PackageDescription

// The harness, and its measurements of the public API beside peers that are Swift packages. All
// other measured programs are separate: ours are targets of the root package, because they call
// `package` functions there; bounds and peers are C files that the harness compiles if the machine
// has their requirements.
let package = Package(
  name: "KVOSafetyBenchmarks",
  dependencies: [
    .package(name: "KVOSafety", path: "..", traits: []),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .target(name: "BenchmarkHarness"),
    .testTarget(name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"]),
    .executableTarget(name: "bench", dependencies: ["BenchmarkHarness"]),
    // The same file as in the root package, where the driver's output is `package`.
    .target(name: "BenchmarkDriver", path: "Ours/BenchmarkDriver"),
    .executableTarget(
      name: "ObservationDriver",
      dependencies: [
        "BenchmarkDriver",
        .product(name: "KVOSafety", package: "KVOSafety"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ]
    ),
  ]
)

// `make harness` tests the harness: the measured programs, which need the whole library, are built by those that run them.
if Context.environment["KVO_SAFETY_HARNESS"] != nil {
  package.targets.removeAll { $0.name.hasSuffix("Driver") }
}

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
