import KVORecorder
import KVORetainRegistry
import KVORetention
import KVORules
import KVOSymbols
import KVOTrace
import Testing

@testable import RetentionProbe

@Suite("Names of closures", .serialized)
struct NamingTests {
  private static func cycles(of object: AnyObject) -> [String] {
    let names = CodeNames(resolver: DwarfFrameResolver(), images: LoadedImages.all)
    return RetainSearch().findCycles(from: [object], names: names).cycles.map(\.description)
  }

  @Test("a closure in a method has its line, and that it captured self")
  func line() {
    let screen = Screen()
    screen.observe()
    #expect(
      Self.cycles(of: screen) == [
        "Screen.model → ViewModel.observation → Token.handler → "
          + "closure capture of self (Screen.swift:11) → Screen"
      ]
    )
    screen.model.observation = nil
  }

  @Test("of two captures of a type neither is called self")
  func twoOfOneType() {
    let screen = Screen()
    screen.observeTwice(Screen())
    #expect(
      Self.cycles(of: screen) == [
        "Screen.handler → closure capture of Screen (Screen.swift:18) → Screen"
      ]
    )
    screen.handler = nil
  }

  @Test("a capture of another object of the method's class is not called self")
  func otherOfOneType() {
    let (screen, other) = (Screen(), Screen())
    screen.observeOnly(other)
    #if DEBUG
    let site = "Screen.swift:35"
    #else
    // The optimizer leaves this closure neither a line nor variables.
    let site = "closure #1 in Screen.observeOnly(_:)"
    #endif
    #expect(
      Self.cycles(of: other) == ["Screen.handler → closure capture of Screen (\(site)) → Screen"]
    )
    other.handler = nil
  }

  @Test("an asynchronous closure has its line")
  func asynchronous() {
    let screen = Screen()
    screen.observeLater()
    #expect(
      Self.cycles(of: screen) == [
        "Screen.later → closure capture of self (Screen.swift:22) → Screen"
      ]
    )
    screen.later = nil
  }

  /// It may be a method of another object of the class: the compiler gives the closure no variables either.
  @Test("a reference to a method has the function that it is in: the compiler gives it no line")
  func method() {
    let screen = Screen()
    screen.observeByMethod()
    #expect(
      Self.cycles(of: screen) == [
        "Screen.handler → closure capture of Screen "
          + "(implicit closure #2 in implicit closure #1 in Screen.observeByMethod()) → Screen"
      ]
    )
    screen.handler = nil
  }

  @Test("an autoclosure has the function that it is in: the compiler gives it no line")
  func autoclosure() {
    let screen = Screen()
    screen.observeByAutoclosure()
    #expect(
      Self.cycles(of: screen) == [
        "Screen.handler → closure capture of Screen "
          + "(implicit closure #1 in Screen.observeByAutoclosure()) → Screen"
      ]
    )
    screen.handler = nil
  }
}
