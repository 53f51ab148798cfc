import KVORecorder
import KVORetention
import KVORules
import KVOSymbols
import Testing

@testable import RetentionProbe

@Suite("Names of closures", .serialized)
struct NamingTests {
  private static func cycles(of object: AnyObject) -> [String] {
    let names = CodeNames(resolver: DwarfFrameResolver(), images: ImageList.loadedImages())
    return RetainSearch().findCycles(from: [object], names: names).cycles.map(\.description)
  }

  @Test("a closure in a method tells its line, and that it captured self")
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

  @Test("an asynchronous closure tells its line")
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
}
