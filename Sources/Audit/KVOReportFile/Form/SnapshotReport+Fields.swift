package import KVOAudit
import KVORules

extension SnapshotReport: ReportFields {
  package static var blank: SnapshotReport {
    SnapshotReport(path: "", processName: "", processID: 0, objectCount: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("path", &path)
    try coder.text("process", &processName)
    try coder.count("pid", &processID)
    try coder.count("objects", &objectCount)
    try coder.texts("gaps", &gaps)
    try coder.text("problem", &problem)
    try coder.list("leaks", &leaks)
    try coder.list("findings", &findings)
    try coder.count("registrationCount", &registrationCount)
    try coder.count("absentCount", &absentCount)
    try coder.list("registrations", &registrations)
  }
}

extension SnapshotReport.Leak: ReportFields {
  package static var blank: SnapshotReport.Leak {
    SnapshotReport.Leak(text: "", count: 0, objectCount: 0, byteCount: 0, address: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("cycle", &text)
    try coder.count("count", &count)
    try coder.count("objects", &objectCount)
    try coder.number("bytes", &byteCount)
    try coder.address("address", &address)
  }
}

extension SnapshotReport.HeldFinding: ReportFields {
  package static var blank: SnapshotReport.HeldFinding {
    SnapshotReport.HeldFinding(signature: "", held: [])
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("signature", &signature)
    try coder.list("held", &held)
  }
}

extension SnapshotReport.HeldRegistration: ReportFields {
  package static var blank: SnapshotReport.HeldRegistration {
    SnapshotReport.HeldRegistration(
      LoggedProcess.LiveRegistration(
        subject: .blank,
        observer: nil,
        keyPath: "",
        location: nil,
        event: 0
      ),
      input: 0,
      held: []
    )
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.count("input", &input)
    try coder.count("event", &event)
    try coder.object("subject", &subject)
    try coder.object("observer", &observer)
    try coder.text("keyPath", &keyPath)
    try coder.text("place", &location)
    try coder.list("held", &held)
  }
}

extension SnapshotReport.Held: ReportFields {
  package static var blank: SnapshotReport.Held {
    SnapshotReport.Held(
      object: .blank,
      address: 0,
      byteCount: 0,
      root: nil,
      path: .blank,
      cycle: .blank,
      isLeaked: false
    )
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.object("object", &object)
    try coder.address("address", &address)
    try coder.number("bytes", &byteCount)
    try coder.flag("leaked", &isLeaked)
    try coder.object("root", &root)
    try coder.object("path", &path)
    try coder.object("cycle", &cycle)
  }
}

extension SnapshotReport.Root: ReportFields {
  package static var blank: SnapshotReport.Root { SnapshotReport.Root(kind: "", address: 0) }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("kind", &kind)
    try coder.address("address", &address)
  }
}

extension SnapshotReport.Chain: ReportFields {
  package static var blank: SnapshotReport.Chain { SnapshotReport.Chain(steps: []) }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.list("steps", &steps)
    try coder.count("leftOut", &leftOutCount)
  }
}

extension SnapshotReport.Chain.Step: ReportFields {
  package static var blank: SnapshotReport.Chain.Step {
    SnapshotReport.Chain.Step(className: "", address: 0, label: "", isProven: true)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("class", &className)
    try coder.address("address", &address)
    try coder.text("reference", &label)
    try coder.flag("proven", &isProven)
  }
}

extension ReportCoder {
  /// An address that every value has.
  fileprivate mutating func address(_ key: String, _ value: inout UInt64) throws(Failure) {
    var address: UInt64? = value
    try self.address(key, &address)
    value = address ?? 0
  }
}
