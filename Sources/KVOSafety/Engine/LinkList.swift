internal import KVOTrace

/// The links that listen to one key of one object, in order of addition.
///
/// Removing leaves a gap, and the gaps are closed when they are as many as the links: each operation
/// but `all` is O(1) amortised, also at 100,000 links.
struct LinkList: Sendable {
  private struct Name: Hashable {
    var registration: RegistrationID
    var depth: Int
  }

  private var slots: [ObservationLink?] = []
  private var places: [Name: Int] = [:]

  /// The links, oldest first.
  ///
  /// Complexity: O(n).
  var all: [ObservationLink] { slots.compactMap(\.self) }

  var isEmpty: Bool { places.isEmpty }

  /// Adds a link behind all others.
  mutating func append(_ link: ObservationLink) {
    places[Name(registration: link.observation.id, depth: link.depth)] = slots.count
    slots.append(link)
  }

  /// Removes the link of a registration at a depth of its path; false where there is none.
  mutating func remove(_ registration: RegistrationID, depth: Int) -> Bool {
    guard
      let place = places.removeValue(forKey: Name(registration: registration, depth: depth))
    else { return false }
    slots[place] = nil
    if slots.count > 2 * places.count + 8 { closeGaps() }
    return true
  }

  private mutating func closeGaps() {
    let links = all
    self = LinkList()
    for link in links { append(link) }
  }
}
