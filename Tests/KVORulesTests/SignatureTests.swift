import KVOFindings
import KVOTrace
import TestSupport
import Testing

@testable import KVORules

@Suite("A signature")
struct SignatureTests {
  /// Vectors of NIST's: FIPS 180-4 examples, and the byte lengths around a block.
  @Test(
    "is made with SHA-256 as everybody has it",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
  )
  func vectors(text: String, digest: String) {
    let digits = SHA256.hash(Array(text.utf8)).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    #expect(digits.joined() == digest)
  }

  /// By a shell: `printf '6:KVO0027:Account6:Screen7:balance7:close()' | sha256sum | cut -c1-32`, and
  /// the same with `15:Screen.swift:29` at the end.
  @Test("is what any shell makes of its fields")
  func fields() throws {
    let log = SampleLog { $0.remove(stack: ["close() (/a/Screen.swift:29)"]) }
    let finding = try #require(Self.finding(log))
    #expect(finding.signature == "2:97498fe069d71cc09cf77e5d921a5751")
    #expect(finding.shortSignature == "2:97498fe069")
    #expect(
      finding.lines == [
        Finding.Line(
          location: "Screen.swift:29",
          signature: "2:568bf77d73c97b9dbfbeee28edec921e",
          version1: "4ed26494"
        )
      ]
    )
    #expect(finding.version1Signatures == ["4ed26494"])
  }

  /// Fields whose concatenations are alike: they differ in where one ends and the next begins.
  @Test("is another one for each of a million findings")
  func distinct() {
    let count = Rounds.areMany ? 1_000_000 : 20_000
    var signatures: Set<String> = []
    signatures.reserveCapacity(count)
    for number in 0..<count {
      let digits = "\(number / 5)"
      let cut = digits.index(digits.startIndex, offsetBy: number % 5, limitedBy: digits.endIndex)
      let (first, rest) = (digits[..<(cut ?? digits.endIndex)], digits[(cut ?? digits.endIndex)...])
      let place = number % 5 <= digits.count ? "close()" : "close()\(number % 5)"
      signatures.insert(
        Signature.of(["KVO001", "Account\(first)", "\(rest)Screen", "balance", place])
      )
    }
    #expect(signatures.count == count)
  }

  private static func finding(_ log: SampleLog) -> Finding? {
    log.verdicts().first.map(FindingBuilder(names: log.names, profile: .swift).finding)
  }

  private func signature(_ write: (inout SampleLog) -> Void) -> String? {
    Self.finding(SampleLog(write))?.signature
  }

  @Test("knows rule, types, key path and function, and no line, address, number, folder or closure")
  func parts() {
    let one = signature { $0.remove(stack: ["close() (/a/Screen.swift:29)"]) }
    let same = [
      signature { $0.remove(stack: ["close() (/b/Screen.swift:30)"]) },
      signature { $0.remove(stack: ["closure #1 in closure #2 in close() (Screen.swift:29)"]) },
      signature { $0.remove(stack: ["objc_msgSend", "close() (Screen.swift:29)"]) },
      signature {
        $0.remove(nil, "Account#99", by: "Screen#77", stack: ["close() (Screen.swift:29)"])
      },
    ]
    #expect(same.allSatisfy { $0 == one })
    let others = [
      signature { $0.remove(stack: ["shut() (Screen.swift:29)"]) },
      signature { $0.remove(nil, "Bank#12", stack: ["close() (Screen.swift:29)"]) },
      signature { $0.remove(by: "View#3", stack: ["close() (Screen.swift:29)"]) },
      signature { $0.remove(nil, "Account#12", "name", stack: ["close() (Screen.swift:29)"]) },
      signature { $0.remove(stack: []) },
    ]
    #expect(Set(others + [one]).count == others.count + 1)
    #expect(
      signature { $0.remove(stack: ["close 0x1234"]) }
        == signature { $0.remove(stack: ["close 0x5678"]) }
    )
    #expect(
      signature { $0.remove(stack: ["__14-[Screen show]_block_invoke_2 (S.m:3)"]) }
        == signature { $0.remove(stack: ["-[Screen show] (S.m:1)"]) }
    )
    #expect(
      signature { $0.remove(stack: ["__main_block_invoke.209 (S.m:3)"]) }
        == signature { $0.remove(stack: ["main (S.m:1)"]) }
    )
  }

  @Test("fields that would be equal when joined are still distinguished")
  func boundaries() {
    #expect(
      signature { $0.remove(nil, "Account1#1", by: "Screen#1", "") }
        != signature { $0.remove(nil, "Account#1", by: "1Screen#1", "") }
    )
  }

  @Test("is that of the registration of a released object, whoever released it")
  func registration() throws {
    func log(_ place: String, end: String) -> SampleLog {
      SampleLog {
        $0.register(stack: [place])
        $0.endDeinit("Account#12", stack: [end])
      }
    }
    let one = try #require(Self.finding(log("show() (Screen.swift:12)", end: "a() (A.swift:1)")))
    let moved = try #require(Self.finding(log("show() (Screen.swift:14)", end: "b() (B.swift:2)")))
    let other = try #require(Self.finding(log("load() (Screen.swift:12)", end: "a() (A.swift:1)")))
    #expect(one.code == .observedDeinitWhileObserved)
    #expect(one.signature == moved.signature && one.lines != moved.lines)
    #expect(one.signature != other.signature)
  }

  @Test("is the same with symbols and without, where the compiler gave the function")
  func functionOfTheCompiler() throws {
    func log(_ stack: [String]) -> SampleLog {
      SampleLog {
        $0.register(at: "My Screen.swift:12 show()", stack: stack)
        $0.endDeinit("Account#12", stack: stack)
      }
    }
    let named = try #require(Self.finding(log(["Screen.show() (My Screen.swift:12)"])))
    let bare = try #require(Self.finding(log([])))
    #expect(named.signature == bare.signature)
    #expect(named.lines.map(\.signature) == bare.lines.map(\.signature))
    #expect(named.lines.map(\.location) == ["My Screen.swift:12"])
    #expect(
      bare.stacks.last?.function == "show()" && bare.stacks.last?.site == "My Screen.swift:12"
    )
  }

  @Test("of two lines of one function is one, and both lines are listed")
  func lines() {
    let log = SampleLog {
      for line in [29, 31, 29] { $0.remove(stack: ["close() (Screen.swift:\(line))"]) }
    }
    let report = log.report()
    #expect(report.contains("  > #0 close()   Screen.swift:29\n  Also at Screen.swift:31\n"))
    #expect(report.matches(of: #/Signature: /#).count == 1)
    #expect(report.contains("seen 3 times · events 1, 2, 3 "))
  }

  @Test("of many lines keeps as many as fit, whichever come first")
  func manyLines() {
    func finding(_ numbers: [Int]) -> Finding {
      var folder = FindingFolder()
      let log = SampleLog {
        for number in numbers { $0.remove(stack: ["f() (A.swift:\(number))"]) }
      }
      let builder = FindingBuilder(names: log.names, profile: .swift)
      for verdict in log.verdicts() { folder.add(builder.finding(for: verdict)) }
      return folder.findings[0]
    }
    let up = finding(Array(100..<300))
    #expect(up.lines == finding((100..<300).reversed()).lines)
    #expect(up.lines.count == Finding.lineLimit && up.count == 200)
  }

  @Test("has a line for each place at which the halves of one change do not match")
  func unbalanced() throws {
    let log = SampleLog {
      $0.did(stack: ["Account.deposit(_:) (Account.swift:9)"])
      $0.did(stack: ["Account.withdraw(_:) (Account.swift:20)"])
      $0.did(stack: ["Account.withdraw(_:) (Account.swift:20)"])
      $0.exit()
    }
    let builder = FindingBuilder(names: log.names, profile: .swift)
    var folder = FindingFolder()
    for verdict in log.verdicts() { folder.add(builder.finding(for: verdict)) }
    let finding = try #require(folder.findings.first)
    #expect(folder.findings.count == 1)
    #expect(finding.count == 3)
    #expect(Set(finding.lines.map(\.location)) == ["Account.swift:9", "Account.swift:20"])
    #expect(Set(finding.lines.map(\.signature)).count == 2)
    #expect(log.report().contains("\n  Also at Account.swift:20\n"))
  }
}

@Suite("A call site in a log")
struct SourceSiteTests {
  @Test(
    "has a location, and a function after the first blank that follows the line",
    arguments: [
      ("Screen.swift:12", "Screen.swift:12", nil),
      ("Screen.swift:12 show()", "Screen.swift:12", "show()"),
      ("My Screen.swift:12 show(a: b)", "My Screen.swift:12", "show(a: b)"),
      ("Screen.swift:12 ", "Screen.swift:12 ", nil), ("a b c", "a b c", nil),
      ("Screen.swift: 12 f", "Screen.swift: 12 f", nil), ("", "", nil),
      ("1 2:3 f() 4:5 g", "1 2:3", "f() 4:5 g"),
    ] as [(String, String, String?)]
  )
  func parts(text: String, place: String, function: String?) {
    let site = SourceSite(text)
    #expect(site.location == place && site.function == function && site.text == text)
  }

  @Test(
    "has a file and a line, also after a column and in a file whose name has colons",
    arguments: [
      ("Screen.swift:12", "Screen.swift", 12), ("Bank/Screen.swift:12:5", "Bank/Screen.swift", 12),
      (#"C:\Bank\Screen.m:7"#, #"C:\Bank\Screen.m"#, 7), ("a:b.m:3", "a:b.m", 3),
      ("Screen.swift", "Screen.swift", nil), ("Screen.swift:0", "Screen.swift", nil),
      (":12", ":12", nil), ("Screen.swift:", "Screen.swift:", nil), ("", "", nil),
      ("Screen.swift:+3", "Screen.swift:+3", nil),
      ("Screen.swift:99999999999", "Screen.swift:99999999999", nil),
    ] as [(String, String, Int?)]
  )
  func fileAndLine(location: String, file: String, line: Int?) {
    let site = SourceSite(location: location)
    #expect(site.file == file && site.line == line)
  }
}
