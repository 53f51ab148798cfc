import Foundation
import KVOSystem
import TestSupport
import Testing

/// Programs, folders and threads by calls of the system.
@Suite("Calls of the system")
struct SystemTests {
  @Test("a program gets what is written, and its output is read to its end")
  func pipes() throws {
    let program = try PipedProgram("/bin/cat", [], losesErrors: true)
    let text = Array("one line\n".utf8)
    #expect(write(program.input, text, text.count) == text.count)
    #expect(program.nextOutput() == text)
    #expect(program.isRunning)
    program.closeInput()
    #expect(program.outputToEnd() == [])
    #expect(program.end() == 0)
    #expect(!program.isRunning)
  }

  @Test("a program that does not exist is an error with its reason")
  func missing() {
    let failure = #expect(throws: PipedProgram.Failure.self) {
      try PipedProgram("/nowhere/program", [], losesErrors: true)
    }
    #expect(failure?.code == ENOENT)
    #expect(failure?.description == "No such file or directory")
  }

  @Test("programs that are started on several threads do not keep each other's pipes open")
  func concurrently() async {
    await withTaskGroup(of: [UInt8].self) { group in
      for number in 0..<16 {
        group.addTask {
          let program = try? PipedProgram("/bin/sh", ["-c", "echo \(number)"], losesErrors: true)
          program?.closeInput()
          return program?.outputToEnd() ?? []
        }
      }
      var outputs: Set<String> = []
      for await output in group { outputs.insert(String(decoding: output, as: UTF8.self)) }
      #expect(outputs == Set((0..<16).map { "\($0)\n" }))
    }
  }

  @Test("all files below a folder are found, and links to folders are not followed")
  func folders() throws {
    let folder = try ScratchFolder()
    let root = folder.path("root")
    let files = FileManager.default
    try files.createDirectory(atPath: root + "/a/b/.hidden", withIntermediateDirectories: true)
    for path in ["one", "a/two", "a/b/three", "a/b/.hidden/four"] {
      #expect(files.createFile(atPath: "\(root)/\(path)", contents: nil))
    }
    try files.createSymbolicLink(atPath: root + "/loop", withDestinationPath: ".")
    #expect(
      FolderWalk.paths(in: root).sorted() == [
        "a/b/.hidden/four", "a/b/three", "a/two", "loop", "one",
      ]
    )
    #expect(FolderWalk.paths(in: root + "/none") == [])
  }
}
