import Testing

@testable import KVOSafety

private protocol Described: AnyObject { var size: Int { get } }

/// Conforms by hand; not final, so that its properties are read through its methods.
private class Shelf: KeyValueObservable, Described {
  let observationRegistrar = ObservationRegistrar()
  class var observableKeys: ObservableKeyTable {
    .shared(by: Self.self) { table(of: Self.self) }
  }
  private static func table<Root: Shelf>(of root: Root.Type) -> ObservableKeyTable {
    ObservableKeyTable(
      ObservableKey("title", \Root.title),
      ObservableKey("next", \Root.next),
      ObservableKey("other", \Root.other),
      ObservableKey("both", \Root.both),
      ObservableKey("size", \Root.size),
      ObservableKey("number", \Root.number)
    )
  }
  var title: String { "" }
  var next: Shelf? { nil }
  var other: (any Described)? { nil }
  var both: (any Shelf & Described)? { nil }
  var size: Int { 0 }
  let number = 1
  var unknown: Int { 0 }
}

private class WideShelf: Shelf {
  override var title: String { "wide" }
}

@Suite("Names of typed key paths")
struct KeyPathNameTests {
  @Test("the layout of the runtime's key paths is the known one")
  func layout() {
    #expect(KeyPathParts.isKnownLayout)
  }

  @Test("each part is named, from whatever class or function the key path is")
  func named() throws {
    let paths: [(AnyKeyPath, String)] = [
      (\Shelf.next?.title, "next.title"), (\Shelf.next!.title, "next.title"),
      (\Shelf.next?.next?.number, "next.next.number"), (\Shelf.both?.size, "both.size"),
      (\WideShelf.next?.title, "next.title"), (\WideShelf.title, "title"),
      (inherited(WideShelf.self), "next.size"), (inherited(Shelf.self), "next.size"),
    ]
    for (keyPath, name) in paths {
      let root = try #require(type(of: keyPath).rootType as? any KeyValueObservable.Type)
      #expect(KeyPathNames.name(of: keyPath, in: root) == name)
      #expect(KeyPathNames.name(of: keyPath, in: WideShelf.self) == name)
    }
  }

  @Test("a part without a name ends in words that are the same in each run, and name no key")
  func unnamed() {
    let paths: [AnyKeyPath] = [
      \Shelf.title.count, \Shelf.other?.size, \Shelf.next?.unknown, \Shelf.unknown,
    ]
    let names = paths.map { KeyPathNames.name(of: $0, in: Shelf.self) }
    #expect(
      names == [
        "title → a member of String", "other → a member of Described",
        "next → a member of Shelf", "a member of Shelf",
      ]
    )
  }

  /// As a subclass that is not marked: it has the table of its superclass.
  private final class Unlisted: Account { var cents = 0 }

  @Test("a property that a class does not list has no name; one of a class without a table says so")
  func unlisted() {
    #expect(KeyPathNames.name(of: \Account.secret, in: Account.self) == "a member of Account")
    #expect(
      KeyPathNames.name(of: \Unlisted.cents, in: Unlisted.self)
        == "a member of Unlisted, which has only inherited keys"
    )
    #expect(KeyPathNames.name(of: \Unlisted.balance, in: Unlisted.self) == "balance")
  }
}

/// The key path as generic code makes it.
private func inherited<Root: Shelf>(_: Root.Type) -> AnyKeyPath { \Root.next?.size }
