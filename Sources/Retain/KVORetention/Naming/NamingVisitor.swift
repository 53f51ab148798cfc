/// Finds the first reference from one object to another, and its name.
struct NamingVisitor: ReferenceVisitor {
  /// A reference in an object.
  struct Found {
    /// The path in the object: `pair.owner`, `[3]`.
    var path: String
    var kind: Slot.Kind
    /// The index of the capture in a closure's context, or nil.
    var capture: Int?
    /// The address of a closure's code, or nil.
    var code: UInt?
    /// Whether it is a word in opaque bytes.
    var isSuspected = false
  }

  private enum Part {
    /// The index of a text.
    case label(Int32)
    case element(ElementPosition)
  }

  private var target: UInt = 0
  private let store: PlanStore
  /// Whether any word with the address `target` is a reference.
  private var isSurelyReferred = false
  /// The position in the object of the references that are read now: the texts of most are never
  /// needed.
  private var path: [Part] = []
  private var capture: Int?
  private(set) var found: Found?
  private(set) var suspected: Found?

  init(store: PlanStore) { self.store = store }

  var isSatisfied: Bool { found != nil }

  /// Starts a search for a reference to `target` in the object that is read next.
  mutating func look(for target: UInt, isSurelyReferred: Bool) {
    self.target = target
    self.isSurelyReferred = isSurelyReferred
    path.removeAll(keepingCapacity: true)
    capture = nil
    found = nil
    suspected = nil
  }

  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) {
    guard word == target, found == nil else { return }
    found = named(slot, code: nil)
  }

  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    guard context == target, found == nil else { return }
    found = named(slot, code: code)
  }

  mutating func kept(_ address: UInt) {
    guard address == target, found == nil else { return }
    found = Found(path: "", kind: .reference)
  }

  mutating func opaque(_ bytes: UnsafeRawPointer, byteCount: Int, in slot: UnsafePointer<Slot>) {
    if isSurelyReferred, OpaqueBytes(bytes, byteCount: byteCount).contains(target) {
      return kept(target)
    }
    guard suspected == nil,
      OpaqueBytes(bytes, byteCount: byteCount).contains(target)
    else { return }
    suspected = named(slot, code: nil)
    suspected?.isSuspected = true
  }

  /// The same for opaque bytes after the fields.
  mutating func opaqueTail(_ bytes: OpaqueBytes) {
    guard suspected == nil, bytes.contains(target) else { return }
    suspected = Found(path: "", kind: .opaque, isSuspected: true)
  }

  mutating func enter(_ slot: UnsafePointer<Slot>) {
    if slot.pointee.capture != Slot.noCapture { capture = Int(slot.pointee.capture) }
    path.append(.label(slot.pointee.label))
  }

  mutating func enter(element: ElementPosition) { path.append(.element(element)) }

  mutating func leave() { path.removeLast() }

  private func name(of part: Part) -> String {
    switch part {
    case .label(let number): store.text(number)
    case .element(.index(let index)): "[\(index)]"
    case .element(.key): "keys[…]"
    case .element(.value), .element(.member): "[…]"
    }
  }

  private func named(_ slot: UnsafePointer<Slot>, code: UInt?) -> Found {
    let text = store.text(slot.pointee.label)
    let own = slot.pointee.capture == Slot.noCapture ? nil : Int(slot.pointee.capture)
    return Found(
      path: path.isEmpty ? text : LayoutBuilder.join(path.map(name(of:)), text),
      kind: slot.pointee.kind,
      capture: own ?? (path.isEmpty ? nil : capture),
      code: code
    )
  }
}
