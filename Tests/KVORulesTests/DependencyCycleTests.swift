import Testing

@Suite("Keys that depend on each other")
struct DependencyCycleTests {
  @Test("a cycle of keys goes through the first key of a path, but not through its own value")
  func dependencyPaths() {
    func outcome(_ owner: [String], _ summary: [String]) -> [String] {
      SampleLog {
        $0.declare("owner", affectedBy: owner)
        $0.declare("summary", affectedBy: summary)
        $0.exit()
      }
      .outcome()
    }
    #expect(outcome(["summary"], ["owner.name"]) == ["KVO028@2"])
    #expect(outcome(["summary.count"], ["owner.name.first"]) == ["KVO028@2"])
    #expect(outcome(["owner.name"], ["owner.name"]) == [])
    #expect(outcome(["name"], ["owner.summary"]) == [])
    #expect(outcome(["summary"], ["owners.name", "own", ".owner", "name.owner"]) == [])
  }
}
