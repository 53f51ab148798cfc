import Foundation
import KVOSystem
import TestSupport
import Testing

@testable import KVOLaunch

/// What a recorded program is given, and which files are its logs.
@Suite("Environment and folder of a recording")
struct RecordingTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func library(_ name: String) throws -> PreloadLibrary? {
    try PreloadLibrary.find(
      environment: ProcessEnvironment(entries: ["KVO_SAFETY_PRELOAD=\(folder.path(name))"])
    )
  }

  private func recordings(at path: String?, name: String = "app") throws -> RecordingFolder {
    try RecordingFolder(at: path, name: name, temporary: folder.path)
  }

  private func texts(_ environment: ProcessEnvironment) -> [String] {
    environment.entries.map { entry in
      String(decoding: entry.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  @Test("the program's own variables stay, and its own preloads come first")
  func environment() throws {
    _ = try folder.file("lib.so", "")
    let library = try #require(try library("lib.so"))
    let own = ProcessEnvironment(entries: [
      "A=1", "KVO_SAFETY_LOG=old", "LD_PRELOAD=/x.so", "B=", "KVO_SAFETY_CONTAIN=all",
    ])
    #expect(
      texts(own.recording(into: "/logs/app-%p.kvolog", library: library, containment: nil)) == [
        "A=1", "B=", "KVO_SAFETY_LOG=/logs/app-%p.kvolog", "LD_PRELOAD=/x.so:\(library.path)",
      ]
    )
    let plain = ProcessEnvironment(entries: ["LD_PRELOAD="])
    #expect(
      texts(plain.recording(into: "p", library: library, containment: "KVO007")) == [
        "KVO_SAFETY_LOG=p", "KVO_SAFETY_CONTAIN=KVO007", "LD_PRELOAD=\(library.path)",
      ]
    )
    #expect(
      texts(plain.recording(into: "p", library: nil, containment: nil)) == [
        "LD_PRELOAD=", "KVO_SAFETY_LOG=p",
      ]
    )
  }

  @Test("a library that does not exist, or that LD_PRELOAD cannot name, is reported")
  func library() throws {
    let none = folder.path("none.so")
    #expect(
      throws: LaunchRefusal.unusable("KVO_SAFETY_PRELOAD names \"\(none)\", which does not exist")
    ) { try library("none.so") }
    let blank = try folder.file("a b.so", "")
    let refusal = #expect(throws: LaunchRefusal.self) { try library("a b.so") }
    #expect(refusal?.message.contains("\"\(blank)\"") == true)
  }

  @Test("without a folder a new one is created, and removed if nothing was written")
  func freshFolder() throws {
    let recordings = try recordings(at: nil, name: "/bin/my%papp")
    #expect(recordings.path.hasPrefix("\(folder.path)/kvo-audit-my_papp-"))
    #expect(recordings.pattern == "\(recordings.path)/my_papp-%p.kvolog")
    recordings.removeIfEmpty()
    #expect(try folder.names == [])
  }

  @Test("an empty TMPDIR is as if it were not set")
  func emptyTemporary() throws {
    for temporary in ["", nil] {
      let recordings = try RecordingFolder(at: nil, name: "empty", temporary: temporary)
      recordings.removeIfEmpty()
      let root = URL(filePath: "/tmp").resolvingSymlinksInPath().path
      #expect(recordings.path.hasPrefix("\(root)/kvo-audit-empty-"))
    }
  }

  @Test("the logs of the run are the files that it wrote, not those of previous runs")
  func logs() throws {
    let path = folder.path("a/b")
    let previous = try recordings(at: path)
    for name in ["app-1.kvolog", "app-2.kvolog", "app-2.kvolog.1", "notes-1.kvolog", "app-x"] {
      try Data("old".utf8).write(to: URL(filePath: path).appending(path: name))
    }
    #expect(
      previous.logs
        == ["app-1.kvolog", "app-2.kvolog", "app-2.kvolog.1"].map { "\(previous.path)/\($0)" }
    )
    let recordings = try recordings(at: path)
    #expect(recordings.logs == [])
    try Data("longer".utf8).write(to: URL(filePath: path).appending(path: "app-1.kvolog"))
    try Data("new".utf8).write(to: URL(filePath: path).appending(path: "app-3.kvolog"))
    try Data().write(to: URL(filePath: path).appending(path: "app-4.kvolog"))
    let logs = ["app-1.kvolog", "app-3.kvolog", "app-4.kvolog"]
    #expect(recordings.logs == logs.map { "\(recordings.path)/\($0)" })
    recordings.removeIfEmpty()
    #expect(recordings.logs.count == 3)
  }

  @Test("a folder that cannot hold logs is reported")
  func unusableFolder() throws {
    let file = try folder.file("file", "")
    for path in [file, "\(file)/logs"] {
      #expect(
        throws: RecordingFolder.Failure(
          message: "no logs can be written into \"\(path)\": Not a directory"
        )
      ) { try recordings(at: path) }
    }
    #expect(throws: RecordingFolder.Failure.self) { try recordings(at: folder.path("a%pb")) }
    #expect(throws: RecordingFolder.Failure.self) { try recordings(at: "") }
  }
}
