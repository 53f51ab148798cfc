internal import KVOTrace

/// The links that listen to one key of one object, in order of addition.
///
/// A few links are found by walking them, which is faster than hashing and is what almost every key
/// has; beyond ``walkLimit`` an index finds them.
///
/// Complexity: adding and removing are O(1) amortised; listing is O(links) after a change of the list,
/// else O(1).
struct LinkList: Sendable {
  private struct Name: Hashable {
    var id: RegistrationID
    var number: Int32

    init(_ link: ObservationLink) {
      id = link.observation.id
      number = link.number
    }

    init(id: RegistrationID, number: Int32) {
      self.id = id
      self.number = number
    }
  }

  static let walkLimit = 8

  let key: StringID
  /// Nil where a link was removed.
  private var slots: [ObservationLink?] = []
  private(set) var count = 0
  /// How many links are concerned before a change is made.
  private(set) var concernedBeforeCount = 0
  /// Where each link is; empty while the links are walked.
  private var places: [Name: Int] = [:]
  /// The links without gaps, or nil where they changed since they were last listed.
  private var listed: [ObservationLink]?

  init(key: StringID) { self.key = key }

  var isEmpty: Bool { count == 0 }

  /// The links, oldest first.
  var all: [ObservationLink] {
    mutating get {
      if let listed { return listed }
      let all = slots.compactMap(\.self)
      listed = all
      return all
    }
  }

  /// The only link, where there is one alone.
  var only: ObservationLink? {
    guard count == 1 else { return nil }
    for place in slots.indices { if let link = slots[place] { return link } }
    return nil
  }

  /// Adds `link` as the newest; a link is added once.
  mutating func append(_ link: ObservationLink) {
    listed = nil
    slots.append(link)
    count += 1
    if link.isConcernedBefore { concernedBeforeCount += 1 }
    if !places.isEmpty {
      places[Name(link)] = slots.count - 1
    } else if slots.count > Self.walkLimit {
      compact()
    }
  }

  /// Takes out the link `number` of registration `id`.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ id: RegistrationID, number: Int32) -> Bool {
    let name = Name(id: id, number: number)
    let place =
      places.isEmpty
      ? slots.firstIndex { $0.map { Name($0) == name } ?? false }
      : places.removeValue(forKey: name)
    guard let place else { return false }
    listed = nil
    if slots[place]?.isConcernedBefore == true { concernedBeforeCount -= 1 }
    slots[place] = nil
    count -= 1
    if count == 0 {
      // One observer that comes and goes needs no new memory each time.
      slots.removeAll(keepingCapacity: slots.capacity <= Self.walkLimit)
      places.removeAll()
    } else if slots.count > 2 * count + Self.walkLimit {
      compact()
    }
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
