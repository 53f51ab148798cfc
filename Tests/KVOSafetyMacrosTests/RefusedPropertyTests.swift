#if Macros
import Foundation
import TestSupport
import Testing

/// What a macro cannot see, because it sees no types, the compiler refuses in the expansion.
@Suite("Properties that the compiler refuses in an expansion")
struct RefusedPropertyTests {
  private static let properties = """
    import KVOSafety

    struct Handle: ~Copyable { var descriptor: Int32 = 3 }
    struct Point { var x = 0 }

    @KeyValueObservable
    class Constant {
      let handle = Handle()
    }

    @KeyValueObservable
    class Compared {
      @KeyValue(.whenDifferent) var point = Point()
    }

    @KeyValueObservable
    class Ignoring {
      @KeyValue(.ignored) var handle = Handle()
      @KeyValue(.whenDifferent) var numbers: [Int]? = []
      @KeyValue(.whenDifferent) var point = 1.5
    }

    """

  @Test("the message says what to write instead, and what is written so compiles")
  func messages() throws {
    let folder = try ScratchFolder()
    let source = try folder.file("main.swift", Self.properties)
    let modules = try ProgramRun.bundle.deletingLastPathComponent()
    // What only tests need is built for the machine that builds alone.
    let isShared = FileManager.default.fileExists(
      atPath: modules.appending(path: "Modules/KVOSafety.swiftmodule").path
    )
    let tool = isShared ? "" : "-tool"
    var arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-I",
      modules.appending(path: "Modules\(tool)").path,
      "-load-plugin-executable", "\(modules.path)/KVOSafetyMacros-tool#KVOSafetyMacros",
    ]
    for target in ["CKVOChecksum", "CKVOUnwind", "CKVORecorder", "CKVOLifetime", "CKVOIntrinsics"] {
      arguments += [
        "-Xcc", "-fmodule-map-file=\(modules.path)/\(target)\(tool).build/module.modulemap",
      ]
    }
    let run = try ProgramRun(URL(filePath: "/usr/bin/env"), arguments + [source])
    #expect(run.status == 1)
    // The class of each line that the compiler shows as the origin of an error of ours.
    let errors = run.complaint.matches(
      of: #/error: '[^']+' is unavailable: (.+)\n.*main\.swift:(\d+):/#
    )
    .map { "\($0.2): \($0.1)" }
    #expect(
      Set(errors) == [
        "9: a property whose type is noncopyable cannot be observed: mark it '@KeyValue(.ignored)'",
        "13: '.whenDifferent' compares values: make their type 'Equatable', or leave '.whenDifferent' out",
      ],
      "\(run.complaint)"
    )
    #expect(!run.complaint.contains("Ignoring"))
  }
}
#endif
