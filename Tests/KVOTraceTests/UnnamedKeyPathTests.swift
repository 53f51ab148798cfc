import KVOTrace
import Testing

@Suite("A typed key path with a part that has no name")
struct UnnamedKeyPathTests {
  @Test(
    "is read as it is written",
    arguments: [
      (["title"], "String", "title → a member of String"),
      (["owner", "pet"], "Box<Key, Value>", "owner → pet → a member of Box<Key, Value>"),
      ([], "Account", "a member of Account"),
    ] as [([String], String, String)]
  )
  func text(names: [String], type: String, text: String) {
    let path = UnnamedKeyPath(names: names, type: type)
    #expect(path.text == text)
    #expect(UnnamedKeyPath(text) == path)
  }

  @Test("says whether its class has only inherited keys")
  func inherited() throws {
    let path = UnnamedKeyPath(names: ["owner"], type: "Savings", hasOnlyInheritedKeys: true)
    #expect(path.text == "owner → a member of Savings, which has only inherited keys")
    #expect(UnnamedKeyPath(path.text) == path)
  }

  @Test(
    "is not a key path by name",
    arguments: ["", "title", "owner.name", "a → b", "a member", "title → a", "a member of X → b"]
  )
  func named(text: String) { #expect(UnnamedKeyPath(text) == nil) }
}
