internal import KVOTrace

/// The links that listen to one key of one object, in order of addition.
///
/// An observation knows where its first link is; the others, which hang on other objects, are found by an
/// index.
///
/// Complexity: adding and removing are O(1) amortised; listing is O(links) after a change of the list,
/// else O(1).
struct LinkList: Sendable {
  private struct Name: Hashable {
    var id: RegistrationID
    var number: Int32
  }

  /// A link that hangs on another object than the observation is registered on.
  private struct Other {
    /// Kept alive for as long as it listens here.
    var observation: Observation
    var place: Int
  }

  /// A link without a reference: counting references is most of what adding and removing would cost.
  private struct Slot: @unchecked Sendable {
    // Sendable: the observation is one that lives as long as the slot. The first link of an observation is
    // taken out before the observation ends, under the same lock, and `others` holds those of the rest.
    /// Nil where a link was removed.
    var observation: Unmanaged<Observation>?
    var name: Name
    var isDirect: Bool
    var isIntermediate: Bool
    var isConcernedBefore: Bool
  }

  /// As many gaps, and as much unused memory, are not worth closing and giving back.
  private static let smallCount = 8

  let key: StringID
  private var slots: [Slot] = []
  private(set) var count = 0
  /// How many links are concerned before a change is made.
  private(set) var concernedBeforeCount = 0
  private var others: [Name: Other] = [:]
  /// The links without gaps, or nil where they changed since they were last listed.
  private var listed: [ObservationLink]?

  init(key: StringID) { self.key = key }

  var isEmpty: Bool { count == 0 }

  /// The links, oldest first.
  var all: [ObservationLink] {
    mutating get {
      if let listed { return listed }
      let all = slots.compactMap { slot in
        slot.observation.map { observation in
          ObservationLink(
            observation: observation.takeUnretainedValue(),
            number: slot.name.number,
            key: key,
            isDirect: slot.isDirect,
            isIntermediate: slot.isIntermediate
          )
        }
      }
      listed = all
      return all
    }
  }

  /// The observation that alone listens here, where it has its value here, finds nothing through it, and is
  /// concerned with nothing before a change; nil where there is none, or there are others.
  var only: Unmanaged<Observation>? {
    guard count == 1, concernedBeforeCount == 0 else { return nil }
    for place in slots.indices {
      guard let observation = slots[place].observation else { continue }
      let slot = slots[place]
      return slot.name.number == 0 && slot.isDirect && !slot.isIntermediate ? observation : nil
    }
    return nil
  }

  /// Adds `link` as the newest; a link is added once, and is not the first of its observation.
  mutating func append(_ link: ObservationLink) {
    let slot = Slot(
      observation: Unmanaged.passUnretained(link.observation),
      name: Name(id: link.observation.id, number: link.number),
      isDirect: link.isDirect,
      isIntermediate: link.isIntermediate,
      isConcernedBefore: link.isConcernedBefore
    )
    others[slot.name] = Other(observation: link.observation, place: slots.count)
    append(slot)
  }

  /// Adds the first link of an observation as the newest: that to the first key of its path.
  ///
  /// The caller takes it out before the observation ends.
  mutating func append(first observation: Unmanaged<Observation>) {
    append(
      observation._withUnsafeGuaranteedRef { known in
        known.place = slots.count
        return Slot(
          observation: observation,
          name: Name(id: known.id, number: 0),
          isDirect: known.isDirect,
          isIntermediate: !known.isSingle || known.followsSingle,
          isConcernedBefore: known.isConcernedBefore(isDirect: known.isDirect)
        )
      }
    )
  }

  private mutating func append(_ slot: Slot) {
    if listed != nil { listed = nil }
    slots.append(slot)
    count += 1
    if slot.isConcernedBefore { concernedBeforeCount += 1 }
  }

  /// Takes out the link `number`, which is not the first, of registration `id`.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ id: RegistrationID, number: Int32) -> Bool {
    guard let other = others.removeValue(forKey: Name(id: id, number: number)) else { return false }
    remove(at: other.place)
    return true
  }

  /// Takes out the first link of an observation, which is there.
  mutating func remove(first observation: Unmanaged<Observation>) {
    remove(at: observation._withUnsafeGuaranteedRef { $0.place })
  }

  private mutating func remove(at place: Int) {
    if listed != nil { listed = nil }
    if slots[place].isConcernedBefore { concernedBeforeCount -= 1 }
    count -= 1
    if place == slots.count - 1 {
      // One observer that comes and goes needs no new memory each time.
      slots.removeLast()
    } else {
      slots[place].observation = nil
    }
    if count == 0 {
      if slots.capacity > Self.smallCount { slots = [] }
      if !slots.isEmpty { slots.removeAll(keepingCapacity: true) }
    } else if slots.count > 2 * count + Self.smallCount {
      compact()
    }
  }

  /// Closes the gaps.
  private mutating func compact() {
    slots.removeAll { $0.observation == nil }
    for (place, slot) in slots.enumerated() {
      if slot.name.number == 0 {
        slot.observation?._withUnsafeGuaranteedRef { $0.place = place }
      } else {
        others[slot.name]?.place = place
      }
    }
  }
}
