#if Macros
import Testing

@Suite("Diagnostics for classes that cannot be extended, or not by this macro")
struct AccessDiagnosticTests {
  @Test(
    "a private class in another declaration is refused, and can be made visible or state the conformance",
    arguments: [
      ("private class Inner", "3:23", "private class Inner: KeyValueObservable", ""),
      (
        "private class Inner<T>: Base", "3:23",
        "private class Inner<T>: Base, KeyValueObservable", ""
      ),
      (
        "@MainActor private class Inner", "3:34",
        "@MainActor private class Inner: @MainActor KeyValueObservable", "@MainActor "
      ),
    ]
  )
  func privateClass(head: String, position: String, stated: String, isolation: String) {
    func source(_ head: String) -> String {
      "struct Outer {\n  // here\n  @KeyValueObservable \(head) {\n    var value = 0\n  }\n}"
    }
    for (fixIt, fixed) in [
      ("write 'fileprivate'", head.replacing("private", with: "fileprivate")),
      ("state the conformance", stated),
    ] {
      let said = Said()
      said.expand(source(head), applying: fixIt)
      #expect(
        said.messages == [
          """
          'Inner' is 'private' in another declaration, and cannot be extended at the top of the file, \
          as the macro does: write 'fileprivate', or state the conformance, \
          ': \(isolation)KeyValueObservable'
          """
        ]
      )
      #expect(said.positions == [position])
      #expect(said.fixIts == ["write 'fileprivate'", "state the conformance"])
      #expect(said.fixed == source(fixed))
    }
  }

  @Test("so is a class in a private type of another declaration")
  func privateType() {
    let said = Said()
    said.expand(
      "enum Outer {\n  private enum Space {\n    @KeyValueObservable class Inner {}\n  }\n}",
      applying: nil
    )
    #expect(
      said.messages == [
        """
        'Inner' is in a 'private' type of another declaration, and cannot be extended at the top of \
        the file, as the macro does: state the conformance, ': KeyValueObservable'
        """
      ]
    )
    #expect(said.positions == ["3:31"])
    #expect(said.fixIts == ["state the conformance"])
  }

  @Test(
    "the silent twins: classes that are visible in the file, or state the conformance",
    arguments: [
      "@KeyValueObservable private class Inner {}",
      "private enum Outer { @KeyValueObservable class Inner {} }",
      "enum Outer { @KeyValueObservable fileprivate class Inner {} }",
      "enum Outer { @KeyValueObservable private class Inner: KeyValueObservable {} }",
      "private extension Outer { @KeyValueObservable class Inner { private(set) var value = 0 } }",
    ]
  )
  func silent(source: String) {
    let said = Said()
    said.expand(source, applying: nil)
    #expect(said.messages == [])
  }

  @Test("a class that is observable by the standard library's macro as well is refused")
  func observation() {
    let said = Said()
    said.expand(
      "@Observable @KeyValueObservable\nfinal class Account {\n  var balance = 0\n}",
      applying: "remove '@KeyValueObservable'"
    )
    #expect(
      said.messages == [
        """
        '@KeyValueObservable' cannot be applied to a class that is '@Observable': both move the \
        properties behind accessors of their own
        """
      ]
    )
    #expect(said.positions == ["1:13"])
    #expect(said.fixed == "@Observable \nfinal class Account {\n  var balance = 0\n}")
  }

  @Test("a class with a parameter pack is refused")
  func parameterPack() {
    let said = Said()
    said.expand(
      "@KeyValueObservable\nfinal class Row<each Cell> {\n  var count = 0\n}",
      applying: nil
    )
    #expect(
      said.messages == [
        """
        '@KeyValueObservable' cannot be applied to a class with a parameter pack: Swift (6.3) ends the \
        process at a key path to one of its properties
        """
      ]
    )
    #expect(said.positions == ["2:17"])
  }
}
#endif
