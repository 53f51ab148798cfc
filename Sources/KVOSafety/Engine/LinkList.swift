internal import KVOTrace

/// The links that listen to one key of one object, in order of addition.
///
/// A few links are found by walking them, which is faster than hashing and is what almost every key
/// has; beyond ``walkLimit`` an index finds them.
///
/// Complexity: adding and removing are O(1) amortised, listing is O(links).
struct LinkList: Sendable {
  private struct Name: Hashable {
    var id: RegistrationID
    var depth: Int

    init(_ link: ObservationLink) {
      id = link.observation.id
      depth = link.depth
    }

    init(id: RegistrationID, depth: Int) {
      self.id = id
      self.depth = depth
    }
  }

  static let walkLimit = 8

  /// Nil where a link was removed.
  private var slots: [ObservationLink?] = []
  private var count = 0
  /// Where each link is; empty while the links are walked.
  private var places: [Name: Int] = [:]

  var isEmpty: Bool { count == 0 }

  /// The links, oldest first.
  var all: [ObservationLink] { slots.compactMap(\.self) }

  /// Adds `link` as the newest; a link is added once.
  mutating func append(_ link: ObservationLink) {
    slots.append(link)
    count += 1
    if !places.isEmpty {
      places[Name(link)] = slots.count - 1
    } else if slots.count > Self.walkLimit {
      compact()
    }
  }

  /// Takes out the link of registration `id` at `depth`.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ id: RegistrationID, depth: Int) -> Bool {
    let name = Name(id: id, depth: depth)
    let place =
      places.isEmpty
      ? slots.firstIndex { $0.map { Name($0) == name } ?? false }
      : places.removeValue(forKey: name)
    guard let place else { return false }
    slots[place] = nil
    count -= 1
    if count == 0 || slots.count > 2 * count + Self.walkLimit { compact() }
    return true
  }

  /// Closes the gaps.
  private mutating func compact() {
    slots.removeAll { $0 == nil }
    places.removeAll()
    guard slots.count > Self.walkLimit else { return }
    for (place, link) in slots.enumerated() {
      if let link { places[Name(link)] = place }
    }
  }
}
