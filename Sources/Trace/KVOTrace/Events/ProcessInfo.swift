/// The recorded process, as the first line of a log describes it.
@usableFromInline
package struct ProcessInfo: Hashable, Sendable {
  /// The runtime whose semantics the recorded registrations follow.
  ///
  /// The raw values are the names in the log.
  package enum Runtime: String, Hashable, Sendable, CaseIterable {
    case swift
    case apple
    case gnustep128 = "gnustep-1.28"
    case gnustepModern = "gnustep-modern"
  }

  /// The highest version of the log's grammar that this code reads and writes.
  package static let schema = 1

  /// Why a log is refused that follows a later version.
  package static func refusal(ofSchema schema: some BinaryInteger) -> String {
    "the log is written to schema \(schema); this version reads schemas up to \(Self.schema)"
  }

  package var schema: Int
  package var pid: Int?
  package var executable: String?
  /// Nil if the log does not state it; it is then judged as ``Runtime/swift``.
  package var runtime: Runtime?
  /// The system's name and version (`iOS 16.4`).
  package var os: String?
  /// ISO 8601.
  package var started: String?
  /// False if recording began after the first observation, or earlier events are lost.
  package var isComplete: Bool
  /// Whether every event in a scope names it: an event without a scope is in none.
  ///
  /// Otherwise an event without a scope is in the innermost one that is open on its thread.
  package var saysScopes: Bool
  /// Whether the writer records no notifications: a change without a `notify` may still have been delivered.
  package var omitsNotifications: Bool
  /// The version of the program, as its users know it.
  package var appVersion: String?
  /// How many events of the log were recorded before this description, in files that may be gone; nil: none, or not
  /// said.
  package var earlierEventCount: Int?
  /// The share of objects that were recorded when it was written, of ``ObjectSample/all``; nil: all.
  package var sampledShare: Int?

  package init(
    schema: Int = Self.schema,
    pid: Int? = nil,
    executable: String? = nil,
    runtime: Runtime? = nil,
    os: String? = nil,
    started: String? = nil,
    isComplete: Bool = true,
    saysScopes: Bool = false,
    omitsNotifications: Bool = false,
    appVersion: String? = nil,
    earlierEventCount: Int? = nil,
    sampledShare: Int? = nil
  ) {
    self.schema = schema
    self.pid = pid
    self.executable = executable
    self.runtime = runtime
    self.os = os
    self.started = started
    self.isComplete = isComplete
    self.saysScopes = saysScopes
    self.omitsNotifications = omitsNotifications
    self.appVersion = appVersion
    self.earlierEventCount = earlierEventCount
    self.sampledShare = sampledShare
  }

  /// Whether a log that began with this process continues in one that begins with `next`: a log that continues in a
  /// second file repeats its process.
  package func isContinued(by next: ProcessInfo) -> Bool {
    pid != nil && started != nil && pid == next.pid && started == next.started
  }
}

/// A test, a screen or a request, as `scopeBegin` describes it.
@usableFromInline
package struct Scope: Hashable, Sendable {
  package var id: ScopeID
  package var parent: ScopeID?
  package var name: StringID
  /// The 0-based number of the run, for a scope that runs several times; nil if it runs once.
  package var repetition: Int?

  package init(id: ScopeID, parent: ScopeID? = nil, name: StringID, repetition: Int? = nil) {
    self.id = id
    self.parent = parent
    self.name = name
    self.repetition = repetition
  }
}

/// A class's declaration about one of its keys.
@usableFromInline
package struct KeyDeclaration: Hashable, Sendable {
  package var className: StringID
  package var superclass: StringID
  package var key: StringID
  package var affectedBy: [AffectingPath]
  package var isManual: Bool
  /// The reason why the key cannot be observed although the runtime accepted the registration; nil: none known.
  package var problem: Problem?

  /// The reason why an observation that the runtime silently accepted delivers nothing, or not everything.
  ///
  /// The raw values are the names in the log.
  package enum Problem: String, Hashable, Sendable, CaseIterable {
    /// The class has neither an accessor nor a variable of the key.
    case noAccessor
    /// The class declares the dependencies of the key in a way that this runtime ignores.
    case ignoredDependencies
  }

  package init(
    className: StringID,
    superclass: StringID,
    key: StringID,
    affectedBy: [AffectingPath],
    isManual: Bool,
    problem: Problem? = nil
  ) {
    self.className = className
    self.superclass = superclass
    self.key = key
    self.affectedBy = affectedBy
    self.isManual = isManual
    self.problem = problem
  }
}

/// How the process crashed.
@usableFromInline
package struct Crash: Hashable, Sendable {
  /// The signal's name (`SIGSEGV`), or ``StringID/none``.
  package var signal: StringID
  /// The exception's name, or ``StringID/none``.
  package var exception: StringID
  package var reason: StringID
  /// How many registrations were live; nil if that is not known.
  package var liveCount: Int?

  package init(signal: StringID, exception: StringID, reason: StringID, liveCount: Int?) {
    self.signal = signal
    self.exception = exception
    self.reason = reason
    self.liveCount = liveCount
  }

  /// The name of its exception, or else that of its signal, which is SIGABRT for every uncaught exception; or
  /// ``StringID/none``.
  package var name: StringID { exception == .none ? signal : exception }
}
