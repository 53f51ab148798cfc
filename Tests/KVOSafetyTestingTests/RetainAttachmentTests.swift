import Foundation
import TestSupport
import Testing

@Suite("An assertion that could not inspect everything")
struct RetainAttachmentTests {
  @Test("attaches the list, to a warning and to an issue")
  func attachments() throws {
    let folder = try ScratchFolder()
    let run = try ProgramRun(
      built: ProgramRun.bundle.lastPathComponent,
      [
        "--testing-library", "swift-testing", "--filter", "RetainSuites/Uninspected/",
        "--attachments-path", folder.url.path,
      ]
    )
    #expect(run.status == 0, "\(run)")
    let names = try folder.names
    #expect(names.count == 2)
    for name in names {
      #expect(name.hasPrefix("not-inspected"))
      let text = try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
      #expect(
        text == "Owner.held: the compiler does not describe noncopyable types (2 objects)\n"
      )
    }
  }
}
