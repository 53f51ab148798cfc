/// The labels of references, each text once: `pair.owner`, `rows[…]`, `capture 2`.
struct ReferenceLabels {
  /// The texts by index; the first is empty.
  private(set) var texts = [""]
  private let store: PlanStore
  private var known: [UInt64: UInt32] = [:]
  /// The labels of the values that contain the next reference.
  private var prefixes: [UInt32] = []

  init(store: PlanStore) { self.store = store }

  /// The index of the label of a reference in a slot.
  mutating func label(of slot: UnsafePointer<Slot>) -> UInt32 {
    let (capture, number) = (slot.pointee.capture, slot.pointee.label)
    if prefixes.isEmpty, number == 0, capture == Slot.noCapture { return 0 }
    let store = store
    return label(number: UInt32(bitPattern: number), capture) {
      // The compiler does not store the names of captures.
      let own = capture == Slot.noCapture ? "" : "capture \(capture + 1)"
      return LayoutBuilder.join(own, store.text(number))
    }
  }

  mutating func enter(_ slot: UnsafePointer<Slot>) { prefixes.append(label(of: slot)) }

  /// All elements have the same label: with indexes there would be as many texts as elements.
  mutating func enter(element: ElementPosition) {
    let isKey = if case .key = element { true } else { false }
    prefixes.append(label(number: isKey ? .max : .max - 1, 0) { isKey ? "keys[…]" : "[…]" })
  }

  mutating func leave() { prefixes.removeLast() }

  private mutating func label(
    number: UInt32,
    _ capture: UInt16,
    _ text: () -> String
  ) -> UInt32 {
    let prefix = prefixes.last ?? 0
    let key = UInt64(prefix) << 40 | UInt64(number & 0xff_ffff) << 16 | UInt64(capture)
    if let label = known[key] { return label }
    let label = UInt32(texts.count)
    texts.append(LayoutBuilder.join(texts[Int(prefix)], text()))
    known[key] = label
    return label
  }
}
