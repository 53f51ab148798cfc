import Foundation
import KVORetention
import TestSupport
import Testing

/// Classes whose superclass is in a module with library evolution, which the toolchain builds for the test.
///
/// Their fields begin where the superclass ends at run time.
@Suite("Subclasses of a resilient class")
struct ResilientClassTests {
  private static let base = """
    open class Base {
      public var number = 1
      public var name = "base"
      public init() {}
    }
    """

  private static let derived = """
    import Base
    class Derived: Base { var next: AnyObject? }
    final class Last: Derived { var count = 2; var action: (() -> Void)? }
    func pass(_ object: AnyObject) -> UnsafeMutableRawPointer {
      Unmanaged.passRetained(object).toOpaque()
    }
    @_cdecl("kvos_test_ring") public func ring(_ isClosed: Bool) -> UnsafeMutableRawPointer {
      let (first, second) = (Derived(), Derived())
      first.next = second
      if isClosed { second.next = first }
      return pass(first)
    }
    @_cdecl("kvos_test_closure") public func closure(_ isClosed: Bool) -> UnsafeMutableRawPointer {
      let last = Last()
      last.next = Last()
      if isClosed { last.action = { print(last.count) } }
      return pass(last)
    }
    """

  @Test("a field of theirs is read, in a class and in its subclass")
  func fields() throws {
    let folder = try ScratchFolder()
    _ = try folder.file("Base.swift", Self.base)
    _ = try folder.file("Derived.swift", Self.derived)
    let build = try ProgramRun(
      shell: """
        compile() { swiftc -parse-as-library -emit-library -emit-module -module-name "$@" 2>&1; }
        compile Base -enable-library-evolution Base.swift -o libBase.so &&
          compile Derived -I. -L. -lBase -Xlinker -rpath -Xlinker "$PWD" Derived.swift -o libDerived.so
        """,
      in: folder.url
    )
    try #require(build.status == 0, "\(build)")
    // Not closed: its classes stay known to the runtime.
    let library = dlopen(folder.path("libDerived.so"), RTLD_NOW)
    try #require(library != nil, "\(String(cString: dlerror()))")
    for (name, text) in [
      ("kvos_test_ring", "Derived.next → Derived.next → Derived"),
      ("kvos_test_closure", "Last.action → closure capture of Last → Last"),
    ] {
      let make = try #require(dlsym(library, name))
      typealias Make = @convention(c) (Bool) -> UnsafeMutableRawPointer
      let function = unsafeBitCast(make, to: Make.self)
      func answer(_ isClosed: Bool) -> RetainAnswer {
        // What is closed leaks: that is what the test is about.
        let object = Unmanaged<AnyObject>.fromOpaque(function(isClosed)).takeRetainedValue()
        return RetainSearch().findCycles(from: object)
      }
      #expect(answer(true).cycles.map { "\($0)" } == [text])
      #expect(answer(false).verdict == .noneFound)
    }
  }
}
