import Testing

@Suite("Keys that a class declares to be affected by a path")
struct AffectingPathTests {
  private func outcome(ofPath path: String) -> [String] {
    FiringLog.commonDependent.replacing(1) { $0.declare("net", affectedBy: [path, "tax"]) }
      .outcome()
  }

  @Test("depend on the first key of the path, and not on the object's keys of later names")
  func commonDependent() {
    #expect(outcome(ofPath: "gross.sum") == ["KVO024@3"])
    #expect(outcome(ofPath: "sum.gross").isEmpty)
  }
}
