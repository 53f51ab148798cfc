import KVOAudit
import KVORules
import KVOText

extension SnapshotReport.Chain {
  /// `Screen.rows → Row.screen → Screen`; a reference that is not proven is `⇢`.
  var text: String {
    var text = ""
    for (index, step) in steps.enumerated() {
      if leftOutCount > 0, index == Self.endCount {
        text += "… (\(Wording.grouped(leftOutCount)) more) … "
      }
      text += step.className
      if index == steps.count - 1 { break }
      if !step.label.isEmpty { text += (step.label.hasPrefix("[") ? "" : ".") + step.label }
      text += step.isProven ? " → " : " ⇢ "
    }
    return text
  }
}

extension SnapshotReport.Held {
  /// What holds it, after "by".
  var holder: String {
    if isLeaked {
      return cycle.steps.isEmpty
        ? "leaked objects alone" : "nothing but the cycle \(cycle.text)"
    }
    let also = cycle.steps.isEmpty ? "" : "; it is on the cycle \(cycle.text)"
    guard let root else { return "nothing that is visible: no root leads to it" + also }
    let location = root.address == 0 ? "" : " at \(Self.hexadecimal(root.address))"
    return "\(root.kind)\(location) \(root.isCertain ? "→" : "⇢") \(path.text)\(also)"
  }

  /// `Account#12 at 0x7f2b5c00a910`.
  var name: String { "\(object) at \(Self.hexadecimal(address))" }

  static func hexadecimal(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }
}

extension SnapshotReport.HeldRegistration {
  /// `Screen#3 observes "balance" of Account#12, registered at Screen.swift:12`.
  var sentence: String {
    let who = observer.map { "\($0) observes" } ?? "A closure observes"
    return "\(who) \"\(keyPath)\" of \(subject)" + (location.map { ", registered at \($0)" } ?? "")
  }
}

extension SnapshotReport.Leak {
  /// `2 leaks, 4 objects, 128 bytes, one at 0x1200`.
  var figures: String {
    "\(Wording.count(count, "leak")), \(Wording.count(objectCount, "object")), "
      + "\(Wording.count(byteCount, "byte")), one at \(SnapshotReport.Held.hexadecimal(address))"
  }
}

extension SnapshotReport {
  /// `app (process 4711), 9 objects`.
  var title: String {
    "\(processName) (process \(processID)), \(Wording.count(objectCount, "object"))"
  }

  /// How many live observations have objects in the snapshot.
  var tiedSentence: String {
    let all = registrationCount + absentCount
    return "\(Wording.grouped(registrationCount)) of "
      + "\(Wording.count(all, "observation")) that are live at the end have objects in it"
  }

  /// The objects of findings by the signatures of these.
  var heldBySignature: [String: [Held]] {
    Dictionary(findings.map { ($0.signature, $0.held) }, uniquingKeysWith: { first, _ in first })
  }

  /// The block of a text report.
  func block(leakLimit: Int = 10, registrationLimit: Int = 20) -> String {
    var lines = ["HEAP SNAPSHOT \(path): \(title)"]
    lines += gaps.map { "  Not all was read: \($0)." }
    for leak in leaks.prefix(leakLimit) { lines.append("  \(leak.figures): \(leak.text)") }
    if leaks.isEmpty { lines.append("  No leak: no object that nothing but itself owns.") }
    lines += Self.rest(leaks.count - leakLimit, "kind of leak", "kinds of leaks")
    if let problem {
      lines.append("  Not compared with the log: \(problem).")
      return lines.map(ShownText.escaped).joined(separator: "\n")
    }
    lines.append("  \(tiedSentence)\(registrationCount > 0 ? ":" : ".")")
    for registration in registrations.prefix(registrationLimit) {
      lines.append("  \(registration.sentence)")
      lines += registration.held.map { "    Held: \($0.name), by \($0.holder)" }
    }
    lines += Self.rest(registrationCount - registrationLimit, "observation")
    return lines.map(ShownText.escaped).joined(separator: "\n")
  }

  private static func rest(_ count: Int, _ what: String, _ plural: String? = nil) -> [String] {
    count > 0 ? ["  … and \(Wording.count(count, what, plural)) more; JSON has more of them"] : []
  }
}
