internal import KVOTrace

/// The links that listen to one key of one object, in order of addition.
///
/// An observation stores the index of its first link; the others, on other objects, are found by their names.
///
/// Complexity: adding and removing are O(1) amortized; listing is O(links) after a change of the list,
/// else O(1).
struct LinkList: Sendable {
  private struct Name: Hashable {
    var id: RegistrationID
    var number: Int32
  }

  /// A link on an object other than the one that the observation is registered on.
  private struct Other {
    /// Kept alive for as long as it listens here.
    let observation: Observation
    var index: Int
  }

  /// A link without a reference: reference counting would be most of the cost of adding and removing.
  private struct Slot: @unchecked Sendable {
    // Sendable: the observation lives as long as the slot. The first link of an observation is taken out before the
    // observation ends, under the same lock, and `others` retains the observations of the other links.
    /// Nil if the link was removed.
    var observation: Unmanaged<Observation>?
    var name: Name
    var isDirect: Bool
    var isIntermediate: Bool
    var isConcernedBefore: Bool
  }

  /// Up to this many gaps, or this much unused memory, are not worth reclaiming.
  private static let smallCount = 8

  let key: StringID
  private var slots: [Slot] = []
  private(set) var count = 0
  /// How many links need to act before a change is made.
  private(set) var concernedBeforeCount = 0
  private var others = SmallMap<Name, Other>()
  /// The links without gaps, or nil if they have changed since they were last listed.
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

  /// The only observation that listens here, if this is its observed value, no other objects are found through it, and
  /// it needs nothing before a change; otherwise nil.
  var only: Unmanaged<Observation>? {
    guard count == 1, concernedBeforeCount == 0 else { return nil }
    for index in slots.indices {
      guard let observation = slots[index].observation else { continue }
      let slot = slots[index]
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
    let other = Other(observation: link.observation, index: slots.count)
    others.insert(other, forKey: slot.name)
    append(slot)
  }

  /// Adds the first link of an observation, which is to the first key of its path, as the newest.
  ///
  /// The caller removes it before the observation ends.
  mutating func append(first observation: Unmanaged<Observation>) {
    append(
      observation._withUnsafeGuaranteedRef { known in
        known.linkIndex = slots.count
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

  /// Removes the link `number`, which is not the first, of registration `id`.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ id: RegistrationID, number: Int32) -> Bool {
    guard let other = others.removeValue(forKey: Name(id: id, number: number)) else { return false }
    remove(at: other.index)
    return true
  }

  /// Removes the first link of an observation, which must exist.
  mutating func remove(first observation: Unmanaged<Observation>) {
    remove(at: observation._withUnsafeGuaranteedRef { $0.linkIndex })
  }

  private mutating func remove(at index: Int) {
    if listed != nil { listed = nil }
    if slots[index].isConcernedBefore { concernedBeforeCount -= 1 }
    count -= 1
    if index == slots.count - 1 {
      // An observer that is repeatedly added and removed needs no new memory each time.
      slots.removeLast()
    } else {
      slots[index].observation = nil
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
    for (index, slot) in slots.enumerated() {
      if slot.name.number == 0 {
        slot.observation?._withUnsafeGuaranteedRef { $0.linkIndex = index }
      } else {
        if let other = others.position(of: slot.name) {
          others.update(at: other) { $0.index = index }
        }
      }
    }
  }
}
