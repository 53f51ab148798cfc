// swift-tools-version: 6.2
import PackageDescription

// The harness alone. What it measures are programs of their own: ours are targets of the root
// package, because they call what is `package` there; bounds and peers are C files that the harness
// compiles where the machine has what they need.
let package = Package(
  name: "KVOSafetyBenchmarks",
  targets: [
    .target(name: "BenchmarkHarness"),
    .testTarget(name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"]),
    .executableTarget(name: "bench", dependencies: ["BenchmarkHarness"]),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
