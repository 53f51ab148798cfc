import KVORules
import KVOTrace
import Testing

/// Looks addresses up in a table.
private final class TableResolver: FrameResolver, Sendable {
  let table: [UInt64: [SourceFrame]]
  init(_ table: [UInt64: [SourceFrame]]) { self.table = table }
  func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
    table[returnAddress] ?? []
  }
  func problem(with module: Module) -> String? { nil }
}

@Suite("Findings and their text")
struct FindingTests {
  private static let modules = [
    Module(path: "/app/Bank", buildID: "", loadBias: 0, textStart: 0x100, textEnd: 0x200),
    Module(path: "/usr/lib/libc.so.6", buildID: "", loadBias: 0, textStart: 0x200, textEnd: 0x300),
  ]

  private static func source(
    _ function: String,
    _ module: String?,
    _ file: String?,
    _ line: Int,
    isInlined: Bool = false
  ) -> SourceFrame {
    SourceFrame(
      function: function,
      swiftModule: module,
      file: file,
      line: line,
      isInlined: isInlined
    )
  }

  private static let resolver = TableResolver([
    0x110: [
      source("stack.capture", "KVORecorder", "/kvo/Stack.swift", 3, isInlined: true),
      source("Account.addObserver(_:forKeyPath:)", "KVOSafety", "/kvo/Account.swift", 9),
    ],
    0x120: [source("withLock<A>(_:)", "Synchronization", nil, 0)],
    0x130: [
      source("Screen.bind()", "Bank", "/src/Bank/Screen.swift", 12, isInlined: true),
      source("Screen.init(account:)", "Bank", "/src/Bank/Screen.swift", 20),
    ],
    0x200: [source("main", nil, "/src/Bank/main.swift", 4)],
    0x210: [source("__libc_start_main", nil, nil, 0)],
  ])

  private static func resolved(_ addresses: [UInt64]) -> SampleLog {
    SampleLog {
      $0.remove(stack: [])
      $0.events[0].stack = $0.names.id(of: addresses.map { Frame(address: $0) })
    }
  }

  @Test("own frames of this package are cut, the user's first is marked, inlined ones are expanded")
  func frames() {
    let log = Self.resolved([0x110, 0x120, 0x130, 0x200, 0x210, 0x999])
    #expect(
      log.report(resolver: Self.resolver, modules: Self.modules) == """
        WARNING: KVOSafety: removal of an observation that was never made (KVO002 remove-unregistered)
          Screen#3 removed an observation of "balance" from Account#12 that was not registered, on \
        thread 1 (main)
            #0 withLock<A>(_:)           (Bank)
          > #1 Screen.bind() [inlined]   Screen.swift:12
            #2 Screen.init(account:)     Screen.swift:20
            #3 main                      main.swift:4
            #4 __libc_start_main         (libc.so.6)
            #5 0x999
          Fix: add `account.addObserver(self, forKeyPath: "balance")` on every path that leads here, \
        or remove only what was added; a token needs no such care
          Signature: 2:b245fb36c9 · seen once · event 1 · error, contained

        """
    )
  }

  private static func finding(
    _ log: SampleLog,
    appModules: [String]? = nil,
    resolver: (any FrameResolver)? = FindingTests.resolver
  ) -> Finding? {
    let builder = FindingBuilder(
      names: log.names,
      profile: .swift,
      modules: modules,
      resolver: resolver,
      appModules: appModules
    )
    return log.verdicts().first.map(builder.finding)
  }

  private static func own(_ finding: Finding?) -> String? {
    finding?.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol
  }

  @Test("an app module narrows what is the user's own")
  func appModule() {
    let log = Self.resolved([0x130, 0x200])
    #expect(Self.own(Self.finding(log)) == "Screen.bind()")
    #expect(Self.own(Self.finding(log, appModules: ["Bank"])) == "Screen.bind()")
    #expect(Self.own(Self.finding(log, appModules: ["Other"])) == nil)
  }

  /// Objective-C has no macro, even if the log is judged as another runtime's.
  @Test(
    "a path that is refused is put right in the words of the runtime that was recorded",
    arguments: Profile.allCases,
    [Profile.swift, .gnustep128]
  )
  func language(recorded: Profile, judged: Profile) throws {
    let log = SampleLog { $0.refuse(.unknownKey, part: "balanse") }
    let builder = FindingBuilder(names: log.names, profile: judged, recorded: recorded)
    let hint = try #require(log.verdicts().first.map(builder.finding)).hint
    #expect(hint.hasPrefix(#"correct "balanse", or "#))
    #expect(hint.contains("the macro covers the properties") == (recorded == .swift))
    #expect(hint.contains("give Account a property \"balanse\"") == (recorded != .swift))
  }

  @Test("a system's frames given as text are no one's own")
  func textFrames() {
    let log = SampleLog {
      $0.remove(stack: [
        "-[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:]",
        "objc_msgSend", "-[Screen dealloc] (Screen.m:41)", "UIApplicationMain", "main (main.m:3)",
      ])
    }
    let finding = Self.finding(log)
    let frame = finding?.stacks.first?.frames.first(where: \.isFirstOwn)
    #expect(frame?.symbol == "-[Screen dealloc]")
    #expect(frame?.file == "Screen.m")
    #expect(frame?.line == 41)
  }

  @Test("frames with a module are judged by their image")
  func images() {
    let images = [
      "/System/Library/Frameworks/UIKit.framework/UIKit", "libKVOSafetyPreload.so", "Foundation",
      "/usr/lib/x86_64-linux-gnu/libgnustep-base.so.1.28", "libswiftCore.so", "/app/Bank",
    ]
    let log = SampleLog { log in
      log.remove(stack: [])
      let frames = images.map {
        Frame(symbol: log.names.id(of: "f\($0.count)"), module: log.names.id(of: $0))
      }
      log.events[0].stack = log.names.id(of: frames)
    }
    let own = Self.finding(log)?.stacks.first?.frames.map(\.isFirstOwn)
    // The frame of this package is left out.
    #expect(own == [false, false, false, false, true])
  }

  @Test("equal signatures are one finding with a count and its first stacks")
  func folding() {
    let log = SampleLog { log in
      for number in 1...13 {
        log.remove(nil, "Account#\(number)", thread: number == 1 ? "7" : "1")
      }
      log.remove(nil, "Account#1", stack: ["other() (Other.swift:1)"])
    }
    let report = log.report()
    #expect(
      report.split(separator: "\n").filter { $0.contains("Signature") } == [
        "  Signature: 2:40f1de4e3f · seen 13 times · events 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more · error, contained",
        "  Signature: 2:9b071aec6d · seen once · event 14 · error, contained",
      ]
    )
    #expect(report.contains("Account#1 that was not registered, on thread 7\n"))
  }

  @Test("a self-observation that a registry makes worse stays one finding")
  func foldingUpgrade() {
    let log = SampleLog {
      $0.register("1", "Account#12", by: "Account#12")
      $0.hold("registry:Pool#4", "Account#12")
    }
    #expect(
      log.report() == """
        WARNING: KVOSafety: an object observes itself (KVO020 self-observation)
          Account#12 observes its own "balance", while Pool#4 holds it strongly, on thread 1 (main)
          > #0 Screen.init(account:)   Screen.swift:12
          Fix: use `didSet` on balance, or make sure that nothing which Account owns holds it strongly
          Signature: 2:df6294f814 · seen once · event 1 · warning, unknown

        """
    )
  }

  @Test("what is not known is said: no stack but a site, no history, no certainty, another runtime")
  func shortcomings() {
    var finding = Finding(
      code: .doubleRemove,
      severity: .warning,
      profile: .gnustep128,
      consequence: .none,
      confidence: .low,
      message: "Screen#3 did it again",
      events: [],
      stacks: [
        Finding.Stack(role: .failed, event: 0),
        Finding.Stack(role: .registered, thread: "w-1", event: 3, site: "Screen.swift:12"),
      ],
      isHistoryLost: true,
      hint: "do not",
      signature: "0000abcd"
    )
    #expect(
      FindingText().render(finding) == """
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 did it again
            (no stack)
          Registered at, on thread w-1
          > #0 (call)   Screen.swift:12
          (earlier history lost)
          Fix: do not
          Signature: 0000abcd · seen once · low confidence · warning, none on gnustep-1.28

        """
    )
    finding.stacks = []
    finding.severity = .note
    finding.profile = .swift
    finding.confidence = .high
    finding.isHistoryLost = false
    #expect(
      FindingText(isColored: true).render(finding) == """
        \u{1b}[1;36mNOTE:\u{1b}[0m KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 did it again
          Fix: do not
          Signature: 0000abcd · seen once · note, none

        """
    )
  }

  @Test("the line from the compiler is shown if the user's frame has none")
  func mergedFunction() {
    func lines(_ line: Int) -> [Substring] {
      let frame = Finding.StackFrame(
        symbol: "merged close()",
        file: line > 0 ? "Screen.swift" : nil,
        line: line,
        isFirstOwn: true
      )
      let finding = Finding(
        code: .doubleRemove,
        severity: .error,
        profile: .swift,
        consequence: .contained,
        message: "Screen#3 did it again",
        events: [1],
        stacks: [
          Finding.Stack(
            role: .failed,
            event: 1,
            site: "Screen.swift:12",
            function: "close()",
            frames: [frame]
          )
        ],
        hint: "do not",
        signature: "0000abcd"
      )
      return FindingText().render(finding).split(separator: "\n").filter { $0.hasPrefix("  > ") }
    }
    #expect(lines(0) == ["  > at Screen.swift:12 in close()", "  > #0 merged close()"])
    #expect(lines(12) == ["  > #0 merged close()   Screen.swift:12"])
  }

  @Test("a violation without an observer is reported without one")
  func withoutObserver() {
    let log = SampleLog {
      $0.register(by: nil, form: .token)
      $0.endDeinit("Account#12")
    }
    let message = Self.finding(log)?.message
    #expect(
      message == "Account#12 was deallocated while a closure observed its \"balance\", on thread 1"
    )
    let unknown = SampleLog { $0.notifyEnd("9", handled: false) }
    #expect(
      Self.finding(unknown)?.message == "An observer did not handle a notification, on thread 1"
    )
  }

  @Test("a half that does not match names what ended, and what was open")
  func mismatchedHalves() {
    let kinds: [(begun: Change.Kind, ended: Change.Kind)] = [
      (.insertion, .removal), (.setting, .insertion), (.removal, .removal),
    ]
    let findings = kinds.map { kinds in
      Self.finding(
        SampleLog {
          $0.will(change: "1", kind: kinds.begun)
          $0.did(change: "2", kind: kinds.ended)
        }
      )
    }
    #expect(
      findings.map { $0?.message } == [
        "A removal of \"balance\" of Account#12 ended that had not begun, while an insertion was open, on thread 1",
        "An insertion of \"balance\" of Account#12 ended that had not begun, while a setting was open, on thread 1",
        "A removal of \"balance\" of Account#12 ended that had not begun, while another one was open, on thread 1",
      ]
    )
    #expect(findings.allSatisfy { $0?.hint.hasPrefix("give both halves of the change") == true })
  }

  @Test("every reason for a refusal has its sentence")
  func refusals() {
    let messages = RefusalReason.allCases.map { reason in
      let log = SampleLog { $0.refuse(reason, part: "b", "a.b.c") }
      return Self.finding(log)?.message ?? ""
    }
    #expect(
      messages == [
        "Screen#3 added or removed an observer of Account#12 with a nil key path, on thread 1",
        "Screen#3 added or removed an observer of Account#12 with an empty key path, on thread 1",
        "Screen#3 asked for \"a.b.c\" of Account#12, but there is no key \"b\", on thread 1",
        "Screen#3 asked for \"a.b.c\" of Account#12, which leads through a collection at \"b\", "
          + "on thread 1",
        "Screen#3 asked for \"a.b.c\" of Account#12, but \"b\" is read-only, on thread 1",
        "Screen#3 asked for \"a.b.c\" of Account#12, but \"b\" cannot be observed, on thread 1",
        "Screen#3 asked for \"a.b.c\" of Account#12, but an exception ended the addition, on thread 1",
      ]
    )
  }
}
