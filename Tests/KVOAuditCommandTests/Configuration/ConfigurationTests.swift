import Foundation
import TestSupport
import Testing

@Suite("The options of a project") struct ConfigurationTests {
  private static let selfObservation = """
    {"event":"register","thread":1,"subject":{"class":"A","id":"1"},"observer":{"class":"A","id":"1"},"keyPath":"k"}
    {"event":"exit","status":0}

    """

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    // A note, which fails nothing by default.
    _ = try folder.file("noted.jsonl", Self.selfObservation)
  }

  private func run(
    _ arguments: String...,
    environment: [String: String?] = [:]
  ) throws -> CommandRun {
    try CommandRun(arguments, in: folder.url, environment: environment)
  }

  private func configure(_ text: String, as name: String = ".kvo-audit") throws {
    _ = try folder.file(name, text)
  }

  @Test("are those of each call, unless the command line says otherwise")
  func precedence() throws {
    #expect(try run("noted.jsonl").status == 0)
    try configure("# Ours\n\n  fail-on = note\r\nformat=json\nformat = sarif=kvo.sarif\n")
    let configured = try run("noted.jsonl")
    #expect(configured.status == 1 && configured.output.hasPrefix("{"))
    #expect(try folder.names.contains("kvo.sarif"))
    #expect(try run("audit", "noted.jsonl").output == configured.output)
    #expect(try run("--fail-on", "error", "noted.jsonl").status == 0)
    #expect(try run("noted.jsonl", "--fail-on=error").status == 0)
    // A repeatable option of the command line replaces all of the project's.
    try FileManager.default.removeItem(atPath: folder.path("kvo.sarif"))
    #expect(try run("--format", "text", "noted.jsonl").output.contains("SUMMARY: "))
    #expect(try !folder.names.contains("kvo.sarif"))
    #expect(try run("--no-config", "noted.jsonl").status == 0)
  }

  @Test("may be in another file")
  func otherFile() throws {
    try configure("fail-on = never\n")
    try configure("fail-on = note\n", as: "strict")
    #expect(try run("noted.jsonl").status == 0)
    #expect(try run("--config", "strict", "noted.jsonl").status == 1)
    #expect(try run("--config=strict", "--fail-on", "error", "noted.jsonl").status == 0)
    let contradiction = try run("--config", "strict", "--no-config", "noted.jsonl")
    #expect(contradiction.status == 64)
    #expect(
      contradiction.complaint.contains("--no-config and --config strict contradict each other")
    )
  }

  @Test("concern the commands that have them, and no others")
  func commands() throws {
    try configure("format = html=page.html\nfail-on = note\ncategory = tests\n")
    #expect(try run("diff", "noted.jsonl", "noted.jsonl").status == 0)
    #expect(try run("stats", "noted.jsonl").status == 0)
    #expect(try run("census", "noted.jsonl").status == 0)
    #expect(try run("--version").status == 0)
    #expect(try run("help", "audit").output.contains("--show-config"))
    #expect(try !folder.names.contains("page.html"))
    let partial = try run("--format", "json=part.json", "noted.jsonl")
    #expect(partial.status == 1)
    #expect(try run("merge", "part.json").status == 1)
    #expect(try folder.names.contains("page.html"))
    // A folder of that name is not one.
    let other = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: other.path(".kvo-audit"),
      withIntermediateDirectories: false
    )
    _ = try other.file("noted.jsonl", Self.selfObservation)
    #expect(try CommandRun(["noted.jsonl"], in: other.url).status == 0)
  }

  @Test("leave the arguments of a recorded program alone")
  func record() throws {
    try configure("fail-on = note\n")
    let run = try run("record", "--", "/bin/echo", "--fail-on", "--config", "x")
    #expect(run.output == "--fail-on --config x\n")
    #expect(run.status == 65)
  }

  @Test(
    "are refused by the line that is wrong",
    arguments: [
      (
        "fail-on = note\nfial-on = note\n",
        #".kvo-audit:2: "fial-on" is not an option of a project; did you mean "fail-on"?"#
      ),
      (
        "today = 2027-01-01\n",
        #".kvo-audit:1: "today" is not an option of a project; these are: all-inputs, app-module, baseline,"#
      ),
      ("\nfail-on\n", ".kvo-audit:2: fail-on has no value: write fail-on = …"),
      ("fail-on-new = yes\n", #".kvo-audit:1: fail-on-new is "yes", and must be true or false"#),
      (
        "category = a\nfail-on = always\n",
        ".kvo-audit:2: The value 'always' is invalid for '--fail-on"
      ),
      (
        "category = a\nfail-on-new = true\n",
        ".kvo-audit:2: --fail-on-new needs to know what is not new"
      ),
      // The mark of UTF-8 is none of the name.
      ("\u{feff}fail-on\n", ".kvo-audit:1: fail-on has no value: write fail-on = …"),
      ("a\u{1b}[31m = 1\n", #".kvo-audit:1: "a\u{1b}[31m" is not an option"#),
    ]
  )
  func refusals(text: String, words: String) throws {
    try configure(text)
    let run = try run("noted.jsonl")
    #expect(run.status == 65 && run.output == "")
    #expect(run.complaint.hasPrefix("kvo-audit: \(words)"), "\(run.complaint)")
    // A fault of the command line is still one of the command line.
    if text.hasPrefix("category") {
      #expect(try self.run("--nonsense", "noted.jsonl").status == 64)
    }
  }

  @Test("are refused if the file is not there")
  func missing() throws {
    let run = try run("--config", "none", "noted.jsonl")
    #expect(run.status == 65)
    #expect(run.complaint == "kvo-audit: configuration none: no such file\n")
  }

  @Test("are shown, each with where it comes from")
  func shown() throws {
    try configure(
      "app-module = Bank\n# the screens\napp-module = Screens\nfail-on = warning\nby-image = true\n"
    )
    _ = try folder.file(".kvo-suppressions", "")
    let run = try run(
      "--show-config",
      "--fail-on",
      "note",
      "--category=tests",
      "--leaks-at-exit",
      environment: ["NO_COLOR": "1"]
    )
    #expect(run.status == 0, "\(run)")
    // The second column is as wide as the name of the folder, which is another in each run.
    let rows = run.output.split(separator: "\n").map { line in
      line.split(separator: #/ {2,}/#).joined(separator: " | ")
    }
    let root = URL(filePath: folder.path).resolvingSymlinksInPath().path
    #expect(
      rows == [
        "format | text | default", "summary | – | default", "no-limits | false | default",
        "all-inputs | false | default",
        "by-image | true | .kvo-audit:5",
        "no-annotations | false | default; GITHUB_ACTIONS is not true, so that there are none",
        "open | false | default", "no-pager | false | default",
        "source-root | \(root) | of the working directory", "category | tests | command line",
        "fail-on | note | command line, instead of .kvo-audit:4",
        "color | never | NO_COLOR in the environment",
        "suppressions | .kvo-suppressions | in the working directory",
        "no-suppressions | false | default", "today | – | default",
        "show-suppressed | false | default", "baseline | – | default",
        "fail-on-new | false | default",
        "profile | as recorded | default", "leaks-at-exit | true | command line",
        "app-module | Bank | .kvo-audit:1", "app-module | Screens | .kvo-audit:3",
        "by-origin | false | default", "path-pattern | – | default", "jobs | – | default",
        "dsym | – | default", "symbols | – | default", "heap | – | default",
      ]
    )
  }

  @Test("have the names of the documentation")
  func documented() throws {
    let document = ProgramRun.package.appending(path: "Documentation/Configuration.md")
    let rows = try String(contentsOf: document, encoding: .utf8)
      .matches(of: #/(?m)^\| [^|]+ \| ((?:`[a-z-]+`(?:, )?)+) \|$/#)
    let names = rows.flatMap { $0.1.split(separator: ", ").map { $0.dropFirst().dropLast() } }
    try configure("today = 2027-01-01\n")
    let complaint = try run("noted.jsonl").complaint
    let list = try #require(complaint.firstMatch(of: #/these are: ([a-z, -]+)\n/#)?.1)
    #expect(names.sorted() == list.split(separator: ", "), "\(complaint)")
  }

  @Test("are not shown with values that options have only if they are given alone")
  func flagsWithValues() throws {
    let watched = try run("watch", "--show-config", "noted.jsonl").output
    #expect(watched.contains(#/(?m)^serve +– +default$/#), "\(watched)")
    let recorded = try run("record", "--show-config", "--", "true").output
    #expect(recorded.contains(#/(?m)^contain +– +default$/#), "\(recorded)")
  }

  @Test("are applied, refused and shown after an option whose value is left out")
  func afterLeftOutValues() throws {
    try configure("fail-on = warning\n")
    try configure("fail-on = note\n", as: "strict")
    let options = ["--contain", "--config", "strict", "--show-config", "--", "echo", "is run"]
    let named = try CommandRun(["record"] + options, in: folder.url).output
    #expect(named.contains(#/(?m)^fail-on +note +strict:1$/#), "\(named)")
    #expect(named.contains(#/(?m)^contain +all +command line$/#), "\(named)")
    let none = try run("record", "--contain", "--no-config", "--show-config", "--", "echo").output
    #expect(none.contains(#/(?m)^fail-on +error +default$/#), "\(none)")
    let alone = try run("record", "--contain", "--show-config", "--", "echo", "is run").output
    #expect(alone.contains(#/(?m)^fail-on +warning +\.kvo-audit:1$/#), "\(alone)")
    let served = try run("watch", "noted.jsonl", "--serve", "--show-config").output
    #expect(served.contains(#/(?m)^serve +8765 +command line$/#), "\(served)")
  }

  @Test("are shown with the name of the file escaped")
  func escapedName() throws {
    try configure("fail-on = note\n", as: "own\u{1b}[31m")
    let run = try run("--config", "own\u{1b}[31m", "--show-config")
    #expect(run.output.contains(#/(?m)^fail-on +note +own\\u\{1b\}\[31m:1$/#), "\(run)")
  }

  @Test("are not shown if they are wrong")
  func wrongShown() throws {
    #expect(try run("--show-config", "--fail-on", "always").status == 64)
    try configure("fail-on = always\n")
    let run = try run("--show-config")
    #expect(run.status == 65 && run.output == "", "\(run)")
  }
}
