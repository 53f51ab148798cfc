import KVOAudit
import KVOReports
import KVORules
import TestSupport
import Testing

/// `--by-image`: whose observer it is.
@Suite("Findings by image") struct ImageGroupTests {
  private func frame(_ image: String, _ function: String) -> String {
    #"{"symbol":"\#(function)","module":"/plugins/\#(image)"}"#
  }

  /// An observer that one image registers and another deallocates.
  private func dies(_ number: Int, image: String, by other: String) -> String {
    let subject = #"{"class":"Account","id":"\#(number)"}"#
    let observer = #"{"class":"Panel","id":"1\#(number)"}"#
    return """
      {"event":"register","registration":\(number),"subject":\(subject),"keyPath":"key\(number)",\
      "observer":\(observer),"stack":[\(frame(image, "watch\(number)"))]}
      {"event":"deinit","object":\(observer),"stack":[\(frame(other, "drop\(number)"))]}
      {"event":"deinitEnd","object":\(observer)}

      """
  }

  private func headings(_ log: String, groupsByImage: Bool = true) throws -> [String] {
    let folder = try ScratchFolder()
    let path = try folder.file("a.jsonl", log)
    let report = Audit().report(on: [.file(path: path)])
    let text = String(
      decoding: TextReportRenderer(groupsByImage: groupsByImage).render(report),
      as: UTF8.self
    )
    return text.split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("REGISTERED BY") || $0.hasPrefix("WARNING") }
      .map { $0.replacing(#/ KVOSafety: .*\((KVO\d{3}) .*/#) { " \($0.output.1)" } }
  }

  @Test("stand below the image that registered, not below the one that deallocated")
  func groups() throws {
    let log =
      dies(1, image: "Fast", by: "App") + dies(2, image: "Slow", by: "App")
      + dies(3, image: "Fast", by: "Slow")
      + #"{"event":"remove","subject":{"class":"Account","id":"9"},"keyPath":"balance","#
      + #""observer":{"class":"Panel","id":"99"},"stack":[\#(frame("Slow", "drop"))]}"# + "\n"
    #expect(
      try headings(log) == [
        "REGISTERED BY /plugins/Slow: 2 findings", "WARNING: KVO002", "WARNING: KVO007",
        "REGISTERED BY /plugins/Fast: 2 findings", "WARNING: KVO007", "WARNING: KVO007",
      ]
    )
    #expect(
      try headings(log, groupsByImage: false) == ["WARNING: KVO002"]
        + .init(repeating: "WARNING: KVO007", count: 3)
    )
  }

  @Test("are separate if no stack has an image")
  func unknown() throws {
    #expect(
      try headings(LogText.doubleRemove(process: 1)) == [
        "REGISTERED BY AN UNKNOWN IMAGE: 1 finding", "WARNING: KVO001",
      ]
    )
  }
}
