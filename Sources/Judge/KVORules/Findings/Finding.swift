/// A violation as reports show it: names instead of ids, counted, with stacks.
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
    /// The thread as it is written in the log, or nil.
    package var thread: String?
    /// The thread's name, or nil.
    package var threadName: String?
    /// The number of the event in its input, 1-based; 0: not numbered.
    package var event: Int
    /// The source line of the call if the compiler gave it, or nil.
    package var site: String?
    /// The function that the call is in, if the compiler gave it, or nil.
    package var function: String?
    /// Innermost first; empty if the event carried no stack.
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

  /// A frame with all its known properties.
  ///
  /// Unknown properties are nil; an unknown line is 0.
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
  /// One sentence about the fault that names types, key path and objects.
  package var message: String
  package var subject: Object?
  package var observer: Object?
  package var keyPath: String?
  package var context: String?
  /// How often it happened.
  package var count: Int
  /// The number of the failed event of each occurrence, ascending, in the input named by `input`.
  package var events: [Int]
  /// The index of the input that `events` and `stacks` are from.
  package var input: Int
  /// The stacks of the first occurrence: the failed event, then the events that explain it.
  package var stacks: [Stack]
  /// Whether earlier events of the proof are no longer remembered.
  package var isHistoryLost: Bool
  /// The edges of a retain cycle, from and back to the first object; empty for other rules.
  package var cycle: [Edge]
  package var hint: String
  /// The identity of the finding (``Signature``): the same in each run, independent of lines.
  package var signature: String
  /// The lines at which it happened, ordered, with their own signatures; empty for a report of version 1.
  package var lines: [Line] = []
  /// Whether a test expects this violation.
  package var isExpected: Bool
  package var isSuppressed: Bool
  /// Why it is suppressed, if it is.
  package var suppression: SuppressionNote?
  /// Whether all calls that caused it were made by libraries, not of the user's own modules.
  package var isLibrary = false
  /// In how many recorded processes it was found, and in how many runs: logs, or crash reports.
  package var processCount = 1
  package var runCount = 1
  /// Where and when it was seen, by origin, in the order of the origins; empty if that was not collected.
  package var sightings: [Sighting] = []
  /// How it compares with a previous report; nil: there is none.
  package var baseline: BaselineState?
  /// Findings that follow from this one.
  package var consequences: [Finding]
  /// The facts of the crash reports in which it was found; nil: it was found in events.
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
  /// The function, or the address if that has no name; nil if there is neither.
  package var name: String? { symbol ?? address.map { "0x" + String($0, radix: 16) } }

  /// The function as a line of a stack shows it.
  package var shownFunction: String { (name ?? "?") + (isInlined ? " [inlined]" : "") }
}

extension Finding.Stack {
  /// Its short location: the line from the compiler, or that of the first own frame (`Screen.swift:12`), or the known
  /// part of that; nil: not recorded.
  package var location: String? {
    if let site { return site }
    guard let frame = frames.first(where: \.isFirstOwn) ?? frames.first else { return nil }
    return frame.file == nil ? frame.name : FindingText.location(of: frame)
  }
}

extension Finding {
  /// Whether the finding counts: an expected or suppressed finding does not.
  package var counts: Bool { !isExpected && !isSuppressed }

  /// Whether the finding makes a build fail if it is severe enough: it counts, and is not an ambiguous reading of a
  /// text.
  package var mayFail: Bool { counts && !(crashFacts != nil && confidence == .low) }
}

extension Finding.Object: CustomStringConvertible {
  package var description: String { "\(className)#\(id)" }
}
