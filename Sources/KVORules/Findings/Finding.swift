/// A violation as people and machines are told of it: names instead of ids, counted, with stacks.
///
/// Every rendering (text, JSON, test failures, live reports) is a view of this one model.
package struct Finding: Hashable, Sendable {
  /// An object by class and generation, printed as `Account#12`.
  package struct Object: Hashable, Sendable {
    package var className: String
    package var id: String

    package init(className: String, id: String) {
      self.className = className
      self.id = id
    }
  }

  /// A stack that proves the finding.
  package struct Stack: Hashable, Sendable {
    package var role: Evidence.Role
    /// The thread as the log spells it, or nil.
    package var thread: String?
    /// The thread's name, or nil.
    package var threadName: String?
    /// The number of the event in its input, 1-based; 0: not numbered.
    package var event: Int
    /// The source line of the call where the compiler gave it, or nil.
    package var site: String?
    /// The function that the call stands in, where the compiler gave it, or nil.
    package var function: String?
    /// Innermost first; empty where the event carried no stack.
    package var frames: [StackFrame]

    package init(
      role: Evidence.Role,
      thread: String? = nil,
      threadName: String? = nil,
      event: Int,
      site: String? = nil,
      function: String? = nil,
      frames: [StackFrame] = []
    ) {
      self.role = role
      self.thread = thread
      self.threadName = threadName
      self.event = event
      self.site = site
      self.function = function
      self.frames = frames
    }
  }

  /// A frame with all that is known of it.
  ///
  /// What is not known is nil, 0 for the line.
  package struct StackFrame: Hashable, Sendable {
    package var address: UInt64?
    package var symbol: String?
    package var module: String?
    package var file: String?
    package var line: Int
    package var isInlined: Bool
    /// Whether this is the innermost frame of the user's own code.
    package var isFirstOwn: Bool

    package init(
      address: UInt64? = nil,
      symbol: String? = nil,
      module: String? = nil,
      file: String? = nil,
      line: Int = 0,
      isInlined: Bool = false,
      isFirstOwn: Bool = false
    ) {
      self.address = address
      self.symbol = symbol
      self.module = module
      self.file = file
      self.line = line
      self.isInlined = isInlined
      self.isFirstOwn = isFirstOwn
    }
  }

  /// An edge of a retain cycle.
  package struct Edge: Hashable, Sendable {
    package var from: Object
    package var label: String
    package var to: Object
    package var strength: String
    package var certainty: String
    /// Whether this is the reference that is best made weak.
    package var shouldBeWeak: Bool

    package init(
      from: Object,
      label: String,
      to: Object,
      strength: String,
      certainty: String,
      shouldBeWeak: Bool = false
    ) {
      self.from = from
      self.label = label
      self.to = to
      self.strength = strength
      self.certainty = certainty
      self.shouldBeWeak = shouldBeWeak
    }
  }

  package var code: RuleCode
  package var severity: Severity
  package var profile: Profile
  package var consequence: Consequence
  package var confidence: Confidence
  /// One sentence that says what happened, naming types, key path and objects.
  package var message: String
  package var subject: Object?
  package var observer: Object?
  package var keyPath: String?
  package var context: String?
  /// How often it happened.
  package var count: Int
  /// The number of the failed event of each time, ascending, in the input named by `input`.
  package var events: [Int]
  /// The index of the input that `events` and `stacks` are from.
  package var input: Int
  /// The stacks of the first time: the failed event, then what explains it.
  package var stacks: [Stack]
  /// Whether earlier events of the proof are no longer remembered.
  package var isHistoryLost: Bool
  /// The edges of a retain cycle, from and back to the first object; empty for other rules.
  package var cycle: [Edge]
  package var hint: String
  /// What tells it from others (``Signature``); the same from run to run, whatever the line.
  package var signature: String
  /// The lines at which it happened, ordered, with their own signatures; empty where a report of
  /// version 1 does not say.
  package var lines: [Line] = []
  /// Whether a test said that this violation is meant.
  package var isExpected: Bool
  package var isSuppressed: Bool
  /// Why it is suppressed, where a file says so.
  package var suppression: SuppressionNote?
  /// Whether all calls that made it are those of libraries, not of the user's own modules.
  package var isLibrary = false
  /// In how many recorded processes it was found, and in how many runs: logs, or crash reports.
  package var processCount = 1
  package var runCount = 1
  /// What it is beside a former report; nil: there is none.
  package var baseline: BaselineState?
  /// Findings that follow from this one.
  package var consequences: [Finding]
  /// What the crash reports say that it was found in; nil: it was found in events.
  package var crashFacts: CrashFacts?

  package init(
    code: RuleCode,
    severity: Severity,
    profile: Profile,
    consequence: Consequence,
    confidence: Confidence = .high,
    message: String,
    subject: Object? = nil,
    observer: Object? = nil,
    keyPath: String? = nil,
    context: String? = nil,
    count: Int = 1,
    events: [Int] = [],
    input: Int = 0,
    stacks: [Stack] = [],
    isHistoryLost: Bool = false,
    cycle: [Edge] = [],
    hint: String,
    signature: String = "",
    isExpected: Bool = false,
    isSuppressed: Bool = false,
    consequences: [Finding] = [],
    crashFacts: CrashFacts? = nil
  ) {
    self.code = code
    self.severity = severity
    self.profile = profile
    self.consequence = consequence
    self.confidence = confidence
    self.message = message
    self.subject = subject
    self.observer = observer
    self.keyPath = keyPath
    self.context = context
    self.count = count
    self.events = events
    self.input = input
    self.stacks = stacks
    self.isHistoryLost = isHistoryLost
    self.cycle = cycle
    self.hint = hint
    self.signature = signature
    self.isExpected = isExpected
    self.isSuppressed = isSuppressed
    self.consequences = consequences
    self.crashFacts = crashFacts
  }
}

extension Finding.StackFrame {
  /// The function, or the address where that has no name; nil where there is neither.
  package var name: String? { symbol ?? address.map { "0x" + String($0, radix: 16) } }

  /// The function as a line of a stack shows it.
  package var shownFunction: String { (name ?? "?") + (isInlined ? " [inlined]" : "") }
}

extension Finding.Stack {
  /// Where it is, in short: the line that the compiler gave, or that of the first own frame
  /// (`Screen.swift:12`), or what is known of that; nil: not recorded.
  package var place: String? {
    if let site { return site }
    guard let frame = frames.first(where: \.isFirstOwn) ?? frames.first else { return nil }
    return frame.file == nil ? frame.name : FindingText.place(of: frame)
  }
}

extension Finding {
  /// Whether the finding counts: what a test said is meant, and what is suppressed, does not.
  package var counts: Bool { !isExpected && !isSuppressed }

  /// Whether the finding makes a build fail where it is severe enough: it counts, and is not one
  /// reading of a text that allows two.
  package var mayFail: Bool { counts && !(crashFacts != nil && confidence == .low) }
}

extension Finding.Object: CustomStringConvertible {
  package var description: String { "\(className)#\(id)" }
}
