// swift-tools-version: 6.2
import PackageDescription

// The harness, and what it measures of the public API beside peers that are Swift packages. What
// else it measures are programs of their own: ours are targets of the root package, because they
// call what is `package` there; bounds and peers are C files that the harness compiles where the
// machine has what they need.
let package = Package(
  name: "KVOSafetyBenchmarks",
  dependencies: [
    .package(name: "KVOSafety", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .target(name: "BenchmarkHarness"),
    .testTarget(name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"]),
    .executableTarget(name: "bench", dependencies: ["BenchmarkHarness"]),
    // The same file as in the root package: what a driver prints is `package` there.
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

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
