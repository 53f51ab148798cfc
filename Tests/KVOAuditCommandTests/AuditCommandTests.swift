import Foundation
import TestSupport
import Testing

@Suite("kvo-audit") struct AuditCommandTests {
  private let folder: ScratchFolder

  private static let doubleRemove = """
    {"event":"register","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":5}
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":5}
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance"}

    """
  private static let selfObservation = """
    {"event":"register","thread":1,"subject":{"class":"A","id":"1"},"observer":{"class":"A","id":"1"},"keyPath":"k"}

    """
  private static let exit = "{\"event\":\"exit\",\"status\":0}\n"

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("bad.jsonl", Self.doubleRemove)
    _ = try folder.file("noted.jsonl", Self.selfObservation)
    _ = try folder.file("good.jsonl", Self.exit)
    _ = try folder.file("damaged.jsonl", Self.exit + "x\n")
    _ = try folder.file("text.md", "# A program\n\nIt does things.\n")
    _ = try folder.file("crash.jsonl", "{\"event\":\"crash\",\"signal\":\"SIGSEGV\"}\n")
    _ = try folder.file("image.png", [0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d])
    _ = try folder.file("empty.jsonl", "")
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments, in: folder.url)
  }

  @Test(
    "gives its verdict as exit status",
    arguments: [
      (["good.jsonl"], 0), (["bad.jsonl"], 1), (["audit", "bad.jsonl"], 1),
      (["good.jsonl", "bad.jsonl"], 1), (["--fail-on", "never", "bad.jsonl"], 0),
      (["noted.jsonl"], 0), (["--fail-on", "warning", "noted.jsonl"], 0),
      (["--fail-on", "note", "noted.jsonl"], 1), (["damaged.jsonl"], 65),
      (["text.md"], 0),
      (["crash.jsonl"], 1), (["--fail-on", "never", "crash.jsonl"], 0),
      (["--profile", "gnustep-1.28", "bad.jsonl"], 0),
      (["--profile", "gnustep-1.28", "--fail-on", "warning", "bad.jsonl"], 1),
      (["none.jsonl"], 65), (["image.png"], 65), (["empty.jsonl"], 65), (["."], 65),
      (["none/"], 65),
      (["*.nothing"], 65),
      (["bad.jsonl", "none.jsonl"], 65), (["census", "none.jsonl"], 65),
      ([], 64), (["--fail-on", "always", "bad.jsonl"], 64),
      (["--profile", "ios", "bad.jsonl"], 64), (["--profile", "all", "good.jsonl"], 0),
      (["--profile", "all", "bad.jsonl"], 1), (["--profile", "all", "none.jsonl"], 65),
      (["--profile", "all", "--fail-on", "never", "bad.jsonl"], 0),
      (["--profile", "all", "-"], 64),
      (["--profile", "all", "--format", "sarif", "bad.jsonl"], 64),
      (["--nonsense", "bad.jsonl"], 64), (["explain", "KVO999"], 64), (["explain"], 0),
      (["--help"], 0), (["--version"], 0), (["census", "bad.jsonl"], 0),
      (["--generate-completion-script", "zsh"], 0),
    ] as [([String], Int32)]
  )
  func status(arguments: [String], status: Int32) throws {
    let run = try CommandRun(arguments, in: folder.url)
    #expect(run.status == status, "\(run.complaint)")
    // What is refused says why; what is not refused complains of nothing.
    #expect(run.complaint.isEmpty == (status < 64))
  }

  // A Swift string cannot hold the name, and its repaired form is the name of another file.
  @Test("refuses an argument that is not UTF-8, and reads the same file from standard input")
  func notUTF8() throws {
    let script = """
      cp good.jsonl $'a\\xff.jsonl'
      $audit $'a\\xff.jsonl'; echo $?
      $audit --format json=$'b\\xff' good.jsonl; echo $?
      $audit record -- /bin/echo $'\\xff'; echo $?
      $audit --format json=c - < $'a\\xff.jsonl'; echo $?; ls | grep -ac '^b'
      """
    let run = try CommandRun(shell: script, in: folder.url)
    #expect(run.output == "64\n64\n64\n0\n1\n")
    let lines = run.complaint.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines.first == """
        kvo-audit: argument 1, "a\u{fffd}.jsonl", is not UTF-8; rename the file, or pass a log through \
        standard input: kvo-audit - < FILE
        """
    )
  }

  @Test("reports the rest of a log that was cut, complains, and exits with 65")
  func cut() throws {
    let folder = try ScratchFolder()
    _ = try folder.file("cut.jsonl", Self.exit + "{\"event\":\"ex")
    let run = try CommandRun(["cut.jsonl"], in: folder.url)
    #expect(run.status == 65)
    #expect(run.complaint == "kvo-audit: cut.jsonl: ends at byte 40, in the middle of the log\n")
    #expect(run.output.contains("CUT: cut.jsonl ends at byte 40, in the middle of the log"))
    #expect(try CommandRun(["validate", "cut.jsonl"], in: folder.url).status == 65)
  }

  @Test("writes the report in several forms at once, one of them printed")
  func forms() throws {
    let run = try run(
      "--format",
      "json",
      "--format",
      "sarif=a.sarif",
      "--format",
      "junit=a.xml",
      "--format",
      "markdown=a.md",
      "--format",
      "text=a.txt",
      "bad.jsonl"
    )
    #expect(run.status == 1 && run.complaint == "")
    #expect(try run.output == self.run("--format", "json", "bad.jsonl").output)
    for (form, file) in [("sarif", "a.sarif"), ("junit", "a.xml"), ("text", "a.txt")] {
      let written = try String(contentsOf: folder.url.appending(path: file), encoding: .utf8)
      #expect(try written == self.run("--format", form, "bad.jsonl").output)
    }
  }

  @Test(
    "refuses forms that cannot be had",
    arguments: [
      (
        ["--format", "json", "--format", "text", "bad.jsonl"],
        "\"json\" and \"text\" cannot both go to standard output; name a file: --format text=FILE"
      ),
      (["--format", "sarif=", "bad.jsonl"], "The value 'sarif=' is invalid for '--format"),
      (["--format", "yaml", "bad.jsonl"], "The value 'yaml' is invalid for '--format"),
    ]
  )
  func refusedForms(arguments: [String], words: String) throws {
    let run = try CommandRun(arguments, in: folder.url)
    #expect(run.status == 64 && run.output == "")
    #expect(run.complaint.contains(words), "\(run.complaint)")
  }

  @Test("names source files relative to the root that it is given, or to the repository")
  func sourceRoot() throws {
    let frame = #"{"symbol": "f", "file": "\#(folder.path)/app/Sources/A.swift", "line": 3}"#
    let remove =
      #"{"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"k","stack":[\#(frame)]}"#
    for name in ["app/.git", "app/logs"] {
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: name),
        withIntermediateDirectories: true
      )
    }
    _ = try folder.file("app/logs/log", remove + "\n" + Self.exit)
    func uris(_ arguments: [String], in path: String) throws -> [String] {
      let all = ["--format", "sarif"] + arguments
      let run = try CommandRun(all, in: folder.url.appending(path: path))
      return run.output.matches(of: /"uri": "([^"]*)"/).map { String($0.1) }
    }
    let root = "file://" + (URL(filePath: folder.path).resolvingSymlinksInPath().path)
    #expect(
      try Set(uris(["log"], in: "app/logs")) == ["\(root)/app/", "Sources/A.swift"]
    )
    #expect(
      try Set(uris(["--source-root", "..", "app/logs/log"], in: "."))
        .contains("\(URL(filePath: root).lastPathComponent)/app/Sources/A.swift")
    )
    let run = try run("--source-root", "none", "--format", "sarif", "bad.jsonl")
    #expect(run.status == 64 && run.complaint.contains("\"none\" is not a folder"))
    #expect(try self.run("--category", "", "bad.jsonl").status == 64)
  }

  @Test("names the report that it could not write")
  func unwritable() throws {
    let run = try run("--format", "sarif=none/a.sarif", "bad.jsonl")
    #expect(run.status == 74 && run.output == "")
    #expect(
      run.complaint
        == "kvo-audit: none/a.sarif: cannot be written: No such file or directory\n"
    )
  }

  @Test("prints its version, alone and with other options, in the same words")
  func version() throws {
    let alone = try run("--version")
    #expect(alone.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(try run("--fail-on", "never", "--version").output == alone.output)
    #expect(try run("audit", "--version").output == alone.output)
  }

  @Test("reports what it could read and complains of the rest")
  func partly() throws {
    let run = try run("--fail-on", "never", "none.jsonl", "good.jsonl", "image.png")
    #expect(
      run.complaint == """
        kvo-audit: none.jsonl: no such file
        kvo-audit: image.png: neither text nor a usage log: it has bytes that no text has; name the crash report \
        or console text inside it, unpacked

        """
    )
    #expect(
      run.output.hasSuffix(
        "SUMMARY: 0 errors, 0 warnings in 1 event from 1 process (0 observations live at the end)\n"
      )
    )
    #expect(run.status == 65)
  }

  @Test("prints no figures if it read nothing, but JSON all the same")
  func nothing() throws {
    #expect(try run("none.jsonl").output == "")
    let json = try run("--format", "json", "none.jsonl")
    let report = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    let unreadable = (report as? [String: Any])?["unreadable"] as? [[String: Any]]
    #expect(unreadable?.first?["message"] as? String == "no such file")
    #expect(json.status == 65)
  }

  @Test("offers the command that a missing file may have meant")
  func slip() throws {
    #expect(
      try run("cenus", "bad.jsonl").complaint
        == "kvo-audit: cenus: no such file; did you mean the command \"census\"?\n"
    )
  }

  @Test("names the values that an option may have")
  func wrongOption() throws {
    let complaint = try run("--fail-on", "always", "bad.jsonl").complaint
    #expect(
      complaint.hasPrefix(
        """
        Error: The value 'always' is invalid for '--fail-on <fail-on>'. Please provide one of \
        'error', 'warning', 'note' or 'never'.

        """
      )
    )
  }

  @Test("reports the same for a file, standard input and a FIFO")
  func inputs() throws {
    let file = try run("--format", "json", "bad.jsonl")
    let input = try CommandRun(
      ["--format", "json", "-"],
      in: folder.url,
      input: Self.doubleRemove
    )
    let pipe = try CommandRun(
      shell: "$audit --format json <(cat bad.jsonl)",
      in: folder.url
    )
    #expect(input.output.replacing("standard input", with: "bad.jsonl") == file.output)
    let name = try #require(pipe.output.firstMatch(of: /\/dev\/fd\/[0-9]+/)).output
    #expect(pipe.output.replacing(name, with: "bad.jsonl") == file.output)
    #expect([file.status, input.status, pipe.status] == [1, 1, 1])
  }

  @Test("waits for standard input that does not block", arguments: ["", "mcp"])
  func nonblockingInput(command: String) throws {
    let run = try CommandRun(
      shell: """
        python3 - <<'PYTHON'
        import fcntl, os, subprocess, time
        reading, writing = os.pipe()
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_NONBLOCK)
        command = "\(command)"
        audit = subprocess.Popen([os.environ["audit"], command or "-"], stdin=reading, stdout=subprocess.PIPE)
        def state():
            return open(f"/proc/{audit.pid}/stat").read().rsplit(")", 1)[1].split()[0]
        while audit.poll() is None and state() != "S":
            time.sleep(0.01)
        request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'
        os.write(writing, request if command else open("bad.jsonl", "rb").read())
        os.close(writing)
        output = audit.communicate()[0]
        print(audit.returncode, b'"result"' in output or b"SUMMARY: 1 error" in output)
        PYTHON
        """,
      in: folder.url
    )
    #expect(run.output == (command.isEmpty ? "1 True\n" : "0 True\n"), "\(run)")
  }

  @Test("colors if requested, and not into a pipe")
  func color() throws {
    #expect(try run("bad.jsonl").output.hasPrefix("WARNING: "))
    #expect(try run("--color", "always", "bad.jsonl").output.hasPrefix("\u{1b}[1;31mWARNING:"))
    // A terminal of its own for the program.
    let terminal = "script -qec '$audit bad.jsonl' /dev/null"
    let colored = try CommandRun(shell: terminal, in: folder.url)
    #expect(colored.output.hasPrefix("\u{1b}[1;31mWARNING:"))
    for setting in ["NO_COLOR=1", "TERM=dumb"] {
      let plain = try CommandRun(shell: "export \(setting); \(terminal)", in: folder.url)
      #expect(plain.output.hasPrefix("WARNING: "))
    }
  }

  @Test("ends quietly when its reader closes the pipe")
  func brokenPipe() throws {
    let log = (0..<3000).map { number in
      """
      {"event":"remove","subject":{"class":"A\(number)","id":"\(number)"},"observer":{"class":"B","id":"b"},"keyPath":"k"}

      """
    }
    _ = try folder.file("long.jsonl", log.joined())
    let run = try CommandRun(
      shell: "$audit long.jsonl | head -n 1; echo ${PIPESTATUS[0]}",
      in: folder.url
    )
    #expect(run.complaint == "")
    #expect(
      run.output == """
        WARNING: KVOSafety: removal of an observation that was never made (KVO002 remove-unregistered)
        1

        """
    )
  }

  @Test("counts leaks at exit as faults on request")
  func leaksAtExit() throws {
    let log = #"""
      {"event":"register","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"k","registration":1}
      {"event":"exit","status":0}

      """#
    _ = try folder.file("leak.jsonl", log)
    #expect(try run("leak.jsonl").status == 0)
    let run = try run("--leaks-at-exit", "leak.jsonl")
    #expect(run.output.hasPrefix("WARNING: KVOSafety: "))
    #expect(run.output.contains("(KVO021 leaked-registration)"))
    #expect(run.status == 1)
  }

  @Test("names the logs of other processes beside one, but those that it was given")
  func siblings() throws {
    for name in ["app.kvolog", "app.kvolog.previous", "app.kvolog.4711"] {
      _ = try run("convert", "bad.jsonl", "-o", name)
    }
    _ = try folder.file("app.kvolog.txt", "mine")
    let said =
      "kvo-audit: beside app.kvolog there are logs of other processes, which are not part of this "
    let alone = try run("app.kvolog")
    #expect(alone.complaint == said + "report: app.kvolog.4711, app.kvolog.previous\n")
    let some = try run("app.kvolog", "app.kvolog.previous")
    #expect(some.complaint == said + "report: app.kvolog.4711\n")
    #expect(try run("app.kvolog*", "app.kvolog").complaint == "")
    #expect(try run(".").complaint.contains("beside") == false)
    #expect(try run("bad.jsonl").complaint == "")
  }

  @Test("lists the symbol files that it did not use")
  func unusedDebugFiles() throws {
    let elf = try ProgramRun.bundle.path
    let unused = try run("--dsym", elf, "good.jsonl")
    #expect(unused.status == 0)
    #expect(
      unused.complaint
        == "kvo-audit: \"\(elf)\" is not used: no image whose frames are shown has its build-id\n"
    )
    let unread = try run("--dsym", "text.md", "good.jsonl")
    #expect(
      unread.complaint
        == "kvo-audit: \"text.md\" has no debug information that can be read; name a .dSYM, an ELF file "
        + "with a build-id, or a folder of them\n"
    )
    // The report on the text says it.
    #expect(try run("--dsym", "text.md", "text.md").complaint == "")
    #expect(
      try run("--symbols", "none", "good.jsonl").complaint
        == "kvo-audit: --symbols: \"none\" is not a folder; nothing of it is used\n"
    )
    #expect(try run("--symbols", ".", "good.jsonl").complaint == "")
  }
}
