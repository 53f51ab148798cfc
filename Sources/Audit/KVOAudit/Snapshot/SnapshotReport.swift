package import KVORules

/// What a heap snapshot says about a report: what leaked, and what holds the objects of findings and of live observations.
package struct SnapshotReport: Hashable, Sendable {
  /// References that lead from object to object.
  package struct Chain: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
      package var className: String
      package var address: UInt64
      /// The reference to the next step, as `pair.owner`; empty: it has no name, or this is the last step.
      package var label: String
      /// Whether the compiler's metadata describes that reference; otherwise it is a word that may be one.
      package var isProven: Bool

      package init(className: String, address: UInt64, label: String, isProven: Bool) {
        self.className = className
        self.address = address
        self.label = label
        self.isProven = isProven
      }
    }

    /// The first and the last steps: as many of each, if some are left out.
    package var steps: [Step]
    /// How many steps are left out in the middle.
    package var leftOutCount: Int

    /// How many steps of a long chain are kept at each of its ends.
    package static let endCount = 10

    package init(steps: [Step], leftOutCount: Int = 0) {
      self.steps = steps
      self.leftOutCount = leftOutCount
    }
  }

  /// What leads to an object from outside of all objects.
  package struct Root: Hashable, Sendable {
    /// `global`, `stack`, `register` or `memory`.
    package var kind: String
    /// The address of the word; 0 for a register.
    package var address: UInt64

    package init(kind: String, address: UInt64) {
      self.kind = kind
      self.address = address
    }

    /// Whether it is a variable; otherwise it may be what one left behind.
    package var isCertain: Bool { kind == "global" }
  }

  /// An object of the log in the snapshot.
  package struct Held: Hashable, Sendable {
    package var object: Finding.Object
    package var address: UInt64
    package var byteCount: UInt64
    /// Nil: no root leads to it.
    package var root: Root?
    /// The shortest path from the root to the object; empty if there is none.
    package var path: Chain
    /// The shortest cycle of proven references through the object, back to it; empty if there is none.
    package var cycle: Chain
    /// Whether nothing but leaked objects owns it.
    package var isLeaked: Bool

    package init(
      object: Finding.Object,
      address: UInt64,
      byteCount: UInt64,
      root: Root?,
      path: Chain,
      cycle: Chain,
      isLeaked: Bool
    ) {
      self.object = object
      self.address = address
      self.byteCount = byteCount
      self.root = root
      self.path = path
      self.cycle = cycle
      self.isLeaked = isLeaked
    }
  }

  /// The objects of a finding, by its signature.
  package struct HeldFinding: Hashable, Sendable {
    package var signature: String
    package var held: [Held]

    package init(signature: String, held: [Held]) {
      self.signature = signature
      self.held = held
    }
  }

  /// An observation that is live at the end of the log, with those of its objects that the snapshot has.
  package struct HeldRegistration: Hashable, Sendable {
    package var input: Int
    package var event: Int
    package var subject: Finding.Object
    package var observer: Finding.Object?
    package var keyPath: String
    package var location: String?
    package var held: [Held]

    package init(_ registration: LoggedProcess.LiveRegistration, input: Int, held: [Held]) {
      self.input = input
      event = registration.event
      subject = registration.subject
      observer = registration.observer
      keyPath = registration.keyPath
      location = registration.location
      self.held = held
    }
  }

  /// Objects that nothing but they themselves owns, through cycles that read alike.
  package struct Leak: Hashable, Sendable {
    /// `Screen.rows → Row.screen → Screen`, without the middle of a long one.
    package var text: String
    package var count: Int
    package var objectCount: Int
    package var byteCount: UInt64
    package var address: UInt64

    package init(text: String, count: Int, objectCount: Int, byteCount: UInt64, address: UInt64) {
      self.text = text
      self.count = count
      self.objectCount = objectCount
      self.byteCount = byteCount
      self.address = address
    }
  }

  /// The file.
  package var path: String
  package var processName: String
  package var processID: Int
  package var objectCount: Int
  /// What was not read, as sentences say it.
  package var gaps: [String] = []
  /// Why no object of the logs could be found in it; nil: they could.
  package var problem: String?
  /// Those with the most bytes first.
  package var leaks: [Leak] = []
  /// The findings that have an object in the snapshot, in the order of the report.
  package var findings: [HeldFinding] = []
  /// The live observations that have one, in the order of the logs; the first ``registrationLimit``.
  package var registrations: [HeldRegistration] = []
  /// How many live observations have one.
  package var registrationCount = 0
  /// How many live observations of the process have none.
  package var absentCount = 0

  package static let registrationLimit = 1_000

  package init(path: String, processName: String, processID: Int, objectCount: Int) {
    self.path = path
    self.processName = processName
    self.processID = processID
    self.objectCount = objectCount
  }

  /// The objects of the finding with `signature`.
  package func held(by signature: String) -> [Held] {
    findings.first { $0.signature == signature }?.held ?? []
  }
}

extension SnapshotReport {
  /// Changes the index of each input.
  mutating func setInput(_ index: (Int) -> Int) {
    for position in registrations.indices {
      registrations[position].input = index(registrations[position].input)
    }
  }
}
