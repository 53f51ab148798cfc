#if Macros
import Foundation
import TestSupport
import Testing

/// What a macro cannot see, because it sees no types, the compiler refuses in the expansion.
@Suite("What the compiler says of properties in an expansion")
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
    let run = try Self.compile(Self.properties)
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

  private static let deprecated = """
    import KVOSafety

    @KeyValueObservable
    class Account {
      @available(*, deprecated, message: "use cents") var balance = 0.0
      @available(*, deprecated) var owner = "" { didSet { print(oldValue) } }
      @available(*, deprecated) let number = 1
      @available(*, deprecated) lazy var rate = 1
      @available(swift, deprecated: 5) weak var bank: Account?
      @available(*, deprecated) @KeyValue(.manual) var limit = 0
      @available(*, deprecated) @KeyValue(affectedBy: "cents") var text: String { "" }
      var cents = 0
    }

    @KeyValueObservable
    final class Savings: Account {
      @available(*, deprecated) var interest = 0
      @available(*, deprecated) override var owner: String { didSet { print("savings") } }
    }

    @MainActor @KeyValueObservable
    final class Screen<Model> {
      @available(*, deprecated) var model: Model?
    }

    """

  @Test("the compiler warns of nothing in the expansion of a property without a value")
  func voidProperty() throws {
    let run = try Self.compile(
      """
      import KVOSafety

      @KeyValueObservable class Button { var press: Void = () }
      @KeyValueObservable final class Switch: Button {
        override var press: Void { didSet { print("pressed") } }
      }

      """
    )
    #expect(run.status == 0)
    #expect(run.complaint.isEmpty, "\(run.complaint)")
  }

  @Test("a deprecated property is a key, of which the compiler does not warn in the expansion")
  func deprecatedProperties() throws {
    let run = try Self.compile(Self.deprecated)
    #expect(run.status == 0)
    #expect(run.complaint.isEmpty, "\(run.complaint)")
    // The twin: it warns of a reference that somebody wrote.
    let used = try Self.compile("\(Self.deprecated)\nprint(Account().balance)\n")
    #expect(used.complaint.contains("'balance' is deprecated: use cents"))
  }

  /// Checks `source` with the macro.
  private static func compile(_ source: String) throws -> ProgramRun {
    let folder = try ScratchFolder()
    let file = try folder.file("main.swift", source)
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
    return try ProgramRun(URL(filePath: "/usr/bin/env"), arguments + [file])
  }
}
#endif
