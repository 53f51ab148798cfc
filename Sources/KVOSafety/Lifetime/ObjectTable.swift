internal import CKVOLifetime
internal import KVORecorder
internal import KVORules
internal import KVOTrace
internal import Synchronization

/// The objects of the program that the layer has met and that are still alive, by address.
///
/// An address is used again after an object's death, a number never is. A record leaves the table
/// before the memory of its object is given back: at the end of the hook of the class, or when the
/// registrar in an observed object is destroyed. A class that cannot be hooked is the exception; its
/// records are recognised as stale by their weak reference.
final class ObjectTable: Sendable {
  // State: sixteen shards, each under its own lock, chosen by address. The two numbers only count:
  // nothing is published with them, so relaxed is enough.
  private let shards: [Shard]
  private let tokenClass = Recorder.id(of: "ObservationToken")
  private let lastNumber = Atomic<UInt64>(0)
  private let lastChangeNumber = Atomic<UInt64>(0)

  private final class Shard: Sendable {
    let records = GuardedState<[UInt: ObjectRecord]>([:])
  }

  static let shared = ObjectTable()

  private init() {
    shards = (0..<16).map { _ in Shard() }
    RetainMeeting.install(LayerKnowledge())
    Recorder.shared.atExit {
      DeathHook.settle()
      LiveMonitor.shared.report(ThreadChanges.ofThisThread?.endOfThread() ?? [])
    }
  }

  /// Where `object` is.
  static func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// A number that no object, registration or context had before.
  func nextNumber() -> UInt64 { nextNumbers(count: 1) }

  /// The first of `count` such numbers that follow each other.
  func nextNumbers(count: UInt64) -> UInt64 {
    lastNumber.wrappingAdd(count, ordering: .relaxed).oldValue + 1
  }

  /// What logs call the token that has a number of its own.
  func token(_ number: UInt64) -> ObjectRef {
    ObjectRef(id: ObjectID(number), className: tokenClass, kind: .token)
  }

  /// `count` numbers that no change had before.
  func nextChangeNumbers(count: UInt64) -> Range<UInt64> {
    let last = lastChangeNumber.wrappingAdd(count, ordering: .relaxed).newValue
    return (last - count + 1)..<(last + 1)
  }

  /// The record of a live object, made if the layer meets it for the first time.
  ///
  /// The caller keeps `object` alive meanwhile. For an object in its own deinit, which can be met for
  /// the first time only by a removal of what it never added, the record is not kept.
  func record(of object: AnyObject) -> ObjectRecord {
    if let known = knownRecord(of: object), known.object != nil || known.isWatched { return known }
    let record = makeRecord(of: object)
    guard record.object != nil else { return record }
    return shard(of: record.address).records.withLock { records in
      if let known = records[record.address], known.object != nil { return known }
      records[record.address] = record
      return record
    }
  }

  /// The record of an object that the layer has met, also in the object's own deinit.
  func knownRecord(of object: AnyObject) -> ObjectRecord? {
    knownRecord(at: Self.address(of: object))
  }

  func knownRecord(at address: UInt) -> ObjectRecord? {
    shard(of: address).records.withLock { $0[address] }
  }

  /// Makes the hook of its class tell of the object's death.
  ///
  /// Where the class cannot be hooked, the weak reference tells, later.
  func watch(_ record: ObjectRecord, of object: AnyObject) {
    guard !record.isWatched else { return }
    let pointer = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    DeathHook.install()
    // Two threads that meet here watch twice: the second watch stays behind as a count that says
    // "perhaps" for other objects of the same hash, no more.
    if kvos_watch_death(pointer) == 0 { record.isWatched = true }
  }

  /// Forgets an object that is dead, or whose memory is about to be given back.
  func forget(_ record: ObjectRecord) {
    let isForgotten = shard(of: record.address).records.withLock { records in
      guard records[record.address] === record else { return false }
      records[record.address] = nil
      return true
    }
    guard isForgotten, record.isWatched,
      let pointer = UnsafeRawPointer(bitPattern: record.address)
    else { return }
    kvos_unwatch_death(pointer)
  }

  /// The registrations of all objects that are observed now, in the order of the objects' numbers.
  ///
  /// Complexity: O(objects), shard by shard: not one picture while other threads go on.
  var subjects: [SubjectStorage] {
    shards.flatMap { shard in shard.records.withLock { Array($0.values) } }
      .sorted { $0.ref.id.rawValue < $1.ref.id.rawValue }
      .compactMap(\.subject)
      .filter { $0.count > 0 }
  }

  /// Whether the layer has met no object yet.
  var isUntouched: Bool { lastNumber.load(ordering: .relaxed) == 0 }

  private func makeRecord(of object: AnyObject) -> ObjectRecord {
    let isController = object is ControllerIdentity
    let name =
      if isController {
        "ObservationController"
      } else if let foreign = object as? ForeignObject {
        foreign.className
      } else {
        _typeName(type(of: object), qualified: false)
      }
    let ref = ObjectRef(
      id: ObjectID(nextNumber()),
      className: Recorder.shared.id(of: name),
      kind: isController ? .registry : .object
    )
    return ObjectRecord(object: object, ref: ref)
  }

  private func shard(of address: UInt) -> Shard {
    // The low four bits of an object's address are zero.
    shards[Int(truncatingIfNeeded: (address >> 4) % 16)]
  }
}
