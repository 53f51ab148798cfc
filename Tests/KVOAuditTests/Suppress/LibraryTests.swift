import KVOAudit
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("Faults of libraries") struct LibraryTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A removal of nothing, called as `frames` say, innermost first.
  private func removal(_ frames: [(symbol: String, module: String)], key: String) -> String {
    let stack = frames.map { #"{"symbol":"\#($0.symbol)","module":"\#($0.module)"}"# }
    return """
      {"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},\
      "keyPath":"\(key)","stack":[\(stack.joined(separator: ","))]}

      """
  }

  private func report(appModules: [String]) throws -> AuditReport {
    let log =
      removal([("Vendor.stop()", "/x/libVendor.so"), ("main", "/x/App")], key: "theirs")
      + removal([("-[NSObject x]", "/usr/lib/libobjc.so"), ("App.stop()", "/x/App")], key: "ours")
      + removal([("App.stop()", "/x/App"), ("Vendor.run()", "/x/libVendor.so")], key: "called")
      + removal([("-[NSObject y]", "/usr/lib/libobjc.so")], key: "system")
    let path = try folder.file("a.jsonl", log)
    return Audit(options: AuditOptions(appModules: appModules)).report(on: [.file(path: path)])
  }

  @Test("are those whose calls are made by modules that are not the user's own")
  func apart() throws {
    let report = try report(appModules: ["App"])
    let libraries = report.findings.filter(\.isLibrary).map(\.keyPath)
    #expect(libraries == ["theirs"])
    #expect(report.summary.libraryCount == 1 && report.summary.errorCount == 4)
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    let parts = text.split(
      separator: "IN LIBRARIES: 1 finding, made by calls that are not your modules'\n"
    )
    #expect(parts.count == 2)
    #expect(parts.last?.hasPrefix("\nWARNING: KVOSafety: removal of") == true)
    #expect(parts.last?.contains("\"theirs\"") == true)
    #expect(parts.first?.contains("\"theirs\"") == false)
    let markdown = String(decoding: MarkdownReportRenderer().render(report), as: UTF8.self)
    #expect(markdown.contains("| error (in a library) | KVO002"))
  }

  @Test("are no one's if it is not said which modules are the user's")
  func unsaid() throws {
    #expect(try report(appModules: []).summary.libraryCount == 0)
  }
}
