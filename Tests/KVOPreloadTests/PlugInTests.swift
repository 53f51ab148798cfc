import Foundation
import TestSupport
import Testing

/// An application whose plug-ins observe its objects: whose observer it is.
@Suite("Plug-ins", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct PlugInTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  /// A bundle as GNUstep lays it out, with the library of this name as its code.
  private func plugIn(_ name: String) throws -> String {
    let library = try ObjectiveC.bundle(name)
    let folder = guarded.folder.url.appending(path: "\(name).bundle")
    let resources = folder.appending(path: "Resources")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: library, to: folder.appending(path: name))
    try Data("{ NSExecutable = \(name); NSPrincipalClass = \(name); }".utf8)
      .write(to: resources.appending(path: "Info-gnustep.plist"))
    return folder.path
  }

  @Test("the report and the census name the plug-in that registered the observer")
  func images() throws {
    let program = try ObjectiveC.program("Panels")
    let arguments = try [plugIn("CarefulPanel"), plugIn("CarelessPanel")]
    let raw = try guarded.raw(program, arguments)
    let recorded = try guarded.recorded(program, arguments)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    let expected = """
      CarefulPanel.bundle: CarefulPanel
      CarelessPanel.bundle: CarelessPanel
      done

      """
    #expect(raw == ProgramRun(output: expected, complaint: "", status: 0))
    let name = try #require(guarded.logs.first).lastPathComponent
    let report = try guarded.command(["--by-image", name]).output
    // GNUstep opens what a bundle has by a path of its own spelling.
    let heading = try #require(report.split(separator: "\n").first)
    #expect(heading.hasPrefix("REGISTERED BY \(arguments[1])/"), "\(report)")
    #expect(heading.hasSuffix("/CarelessPanel: 1 finding"), "\(report)")
    #expect(report.contains("(KVO007 "), "\(report)")
    #expect(report.matches(of: /REGISTERED BY/).count == 1)
    let census = try guarded.command(["census", "--by-image", name]).output
    #expect(census.contains("CarefulPanel.m:18  "), "\(census)")
    #expect(census.contains("/CarefulPanel\n"), "\(census)")
  }
}
