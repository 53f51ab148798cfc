/// A list whose first element takes no memory of its own, for lists that nearly always have one.
struct ShortList<Element> {
  private var first: Element?
  private var rest: [Element] = []

  init() {}

  init(_ only: Element) { first = only }

  var isEmpty: Bool { first == nil }

  /// The elements, the oldest first.
  var all: [Element] { first.map { [$0] + rest } ?? [] }

  mutating func append(_ element: Element) {
    if first == nil { first = element } else { rest.append(element) }
  }

  /// Whether `isMeant` is true of an element.
  func contains(where isMeant: (Element) -> Bool) -> Bool {
    if let first, isMeant(first) { return true }
    return !rest.isEmpty && rest.contains(where: isMeant)
  }

  func forEach(_ body: (Element) -> Void) {
    if let first { body(first) }
    if !rest.isEmpty { rest.forEach(body) }
  }

  /// Removes and returns the elements of which `isMeant` is true.
  mutating func extract(_ isMeant: (Element) -> Bool) -> ShortList {
    var extracted = ShortList()
    if rest.isEmpty {
      if let only = first, isMeant(only) { swap(&self, &extracted) }
      return extracted
    }
    var kept = ShortList()
    for element in all {
      if isMeant(element) { extracted.append(element) } else { kept.append(element) }
    }
    self = kept
    return extracted
  }
}

extension ShortList: Sendable where Element: Sendable {}
