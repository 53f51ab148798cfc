import KVORules
import KVOTrace

// References, deep paths, probes, locks, classes and what they declare.
extension SampleLog {
  mutating func hold(
    _ from: String,
    _ to: String,
    _ strength: Reference.Strength = .strong,
    label: String = "observed",
    certainty: Reference.Certainty = .proven,
    at site: String = ""
  ) {
    add(.hold(reference(from, to, strength, label, certainty, site)))
  }

  mutating func drop(_ from: String, _ to: String, label: String = "observed") {
    add(.drop(reference(from, to, .strong, label, .proven, "")))
  }

  private mutating func reference(
    _ from: String,
    _ to: String,
    _ strength: Reference.Strength,
    _ label: String,
    _ certainty: Reference.Certainty,
    _ site: String
  ) -> Reference {
    Reference(
      from: object(from),
      to: object(to),
      label: names.id(of: label),
      strength: strength,
      certainty: certainty,
      site: names.id(of: site)
    )
  }

  mutating func beginWalk(thread: String? = "1") { add(.walkBegin(roots: []), thread: thread) }

  mutating func endWalk(isAsserted: Bool = false, thread: String? = "1") {
    add(.walkEnd(isComplete: true, opaque: [], isAsserted: isAsserted), thread: thread)
  }

  mutating func attach(
    _ id: String = "1",
    depth: Int = 1,
    _ key: String = "name",
    to object: String,
    _ strength: Reference.Strength = .strong,
    thread: String? = "1"
  ) {
    add(.attach(attachment(id, depth, key, object, strength)), thread: thread)
  }

  mutating func detach(
    _ id: String = "1",
    depth: Int = 1,
    _ key: String = "name",
    from object: String,
    thread: String? = "1"
  ) {
    add(.detach(attachment(id, depth, key, object, .strong)), thread: thread)
  }

  private mutating func attachment(
    _ id: String,
    _ depth: Int,
    _ key: String,
    _ text: String,
    _ strength: Reference.Strength
  ) -> Attachment {
    Attachment(
      registration: names.identifier(id),
      depth: depth,
      key: names.id(of: key),
      object: object(text),
      strength: strength
    )
  }

  mutating func write(
    _ fingerprint: String,
    _ subject: String = "Account#12",
    _ key: String = "balance",
    thread: String? = "1",
    order: UInt64? = nil,
    stack: [String] = ["Account.reset() (Account.swift:30)"]
  ) {
    let body = Event.Body.write(
      subject: object(subject),
      key: names.id(of: key),
      fingerprint: names.id(of: fingerprint)
    )
    add(body, thread: thread, order: order, stack: stack)
  }

  mutating func lock(_ lock: String = "L", thread: String? = "1") {
    add(.lock(names.identifier(lock)), thread: thread, stack: ["Bank.update() (Bank.swift:15)"])
  }

  mutating func unlock(_ lock: String = "L", thread: String? = "1") {
    add(.unlock(names.identifier(lock)), thread: thread)
  }

  mutating func changeClass(
    _ text: String = "Account#12",
    to name: String,
    isKVOSubclass: Bool = false,
    thread: String? = "1",
    order: UInt64? = nil
  ) {
    let object = object(text)
    add(
      .classChanged(object, to: names.id(of: name), isKVOSubclass: isKVOSubclass),
      thread: thread,
      order: order,
      stack: ["swizzle(_:) (Aspects.swift:4)"]
    )
  }

  mutating func declare(
    _ key: String,
    affectedBy keys: [String],
    by className: String = "Account",
    superclass: String = "",
    problem: KeyDeclaration.Problem? = nil
  ) {
    let key = KeyDeclaration(
      className: names.id(of: className),
      superclass: names.id(of: superclass),
      key: names.id(of: key),
      affectedBy: keys.map { names.affectingPath($0) },
      isManual: false,
      problem: problem
    )
    add(.declares(key))
  }

  mutating func nameThread(_ name: String, thread: String? = "1") {
    let name = names.id(of: name)
    add(.threadName(name), thread: thread)
  }
}
