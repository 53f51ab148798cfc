internal import CKVOLifetime
internal import KVORecorder
internal import KVORetainRegistry
internal import KVOTrace
internal import Synchronization

/// The objects of the program that the library knows and that are still alive, by address.
///
/// An address is used again after an object's deallocation, a number never is. A record leaves the table before the
/// memory of its object is freed: at the end of the hook of the class, or when the registrar in an observed object is
/// destroyed. A class that cannot be hooked is the exception; its records are recognized as stale by their weak
/// reference.
final class ObjectTable: Sendable {
  // State: sixteen shards, each under its own lock, chosen by address. The two numbers only count:
  // nothing is published with them, so relaxed is enough.
  private let shards: [Shard]
  private let tokenClass = Recorder.id(of: "ObservationToken")
  private let lastNumber = Atomic<UInt64>(0)
  private let lastChangeNumber = Atomic<UInt64>(0)

  private final class Shard: Sendable {
    let records = GuardedState(RecordsByAddress())
  }

  static let shared = ObjectTable()

  private init() {
    shards = (0..<16).map { _ in Shard() }
    RetainRegistry.install(LibraryKnowledge())
    ControlAnswers.beginIfWanted()
    Recorder.shared.atExit {
      DeallocationHook.settle()
      LiveMonitor.shared.report(ThreadChanges.ofThisThread?.endOfThread() ?? [])
    }
  }

  /// The address of `object`.
  static func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// An unused number for an object, a registration or a context.
  func nextNumber() -> UInt64 { nextNumbers(count: 1) }

  /// The first of `count` consecutive such numbers.
  func nextNumbers(count: UInt64) -> UInt64 {
    lastNumber.wrappingAdd(count, ordering: .relaxed).oldValue + 1
  }

  /// The reference that logs have for the token with this number.
  func token(_ number: UInt64) -> ObjectRef {
    ObjectRef(id: ObjectID(number), className: tokenClass, kind: .token)
  }

  /// `count` unused numbers for changes.
  func nextChangeNumbers(count: UInt64) -> Range<UInt64> {
    let last = lastChangeNumber.wrappingAdd(count, ordering: .relaxed).newValue
    return (last - count + 1)..<(last + 1)
  }

  /// The record of a live object, created if the library does not know it yet.
  ///
  /// The caller keeps `object` alive during the call. For an object in its own deinit, which can be unknown only if it
  /// removes a registration that it never added, the record is not kept.
  func record(of object: AnyObject) -> ObjectRecord {
    usableRecord(of: object) ?? kept(makeRecord(of: object, endsWithObject: false))
  }

  /// The same for an observed object, whose registrar ends the record.
  func record(ofObserved object: AnyObject) -> ObjectRecord {
    usableRecord(of: object) ?? kept(makeRecord(of: object, endsWithObject: true))
  }

  /// The same, and the hook of the object's class reports its deallocation.
  ///
  /// If the class cannot be hooked, the weak reference shows it, later. The hook does not report a deinit that has begun:
  /// the record would wait for its end for ever, and be taken for that of the next object at the address.
  func watchedRecord(of object: AnyObject) -> ObjectRecord {
    if let known = usableRecord(of: object) {
      watch(known, of: object)
      return known
    }
    guard !InlineWeakReference.isInDeinit(object), beginWatching(object) else {
      return record(of: object)
    }
    let made = makeRecord(of: object, endsWithObject: true)
    made.isWatched = true
    let record = kept(made)
    if record !== made {
      // Another thread made one first.
      unwatch(made)
      watch(record, of: object)
    }
    return record
  }

  /// The record of an object that the library knows, unless it is stale.
  private func usableRecord(of object: AnyObject) -> ObjectRecord? {
    guard let known = knownRecord(of: object), known.isWatched || known.isAlive else { return nil }
    return known
  }

  /// Puts `record` into the table, and returns it, or the one that another thread has put there.
  private func kept(_ record: ObjectRecord) -> ObjectRecord {
    guard record.isAlive else { return record }
    return shard(of: record.address).records.withLock { records in
      if let known = records[record.address], known.isAlive { return known }
      records[record.address] = record
      return record
    }
  }

  /// The record of an object that the library knows, also in the object's own deinit.
  func knownRecord(of object: AnyObject) -> ObjectRecord? {
    knownRecord(at: Self.address(of: object))
  }

  func knownRecord(at address: UInt) -> ObjectRecord? {
    shard(of: address).records.withLock { $0[address] }
  }

  /// Makes the hook of its class report the object's deallocation, as for ``watchedRecord(of:)``.
  func watch(_ record: ObjectRecord, of object: AnyObject) {
    guard !record.isWatched, record.isAlive else { return }
    // Two threads that race here watch twice: the second watch remains as a count that only makes other objects of the
    // same hash look possibly watched.
    if beginWatching(object) { record.isWatched = true }
  }

  /// Begins to watch a live object; false if its class cannot be hooked.
  private func beginWatching(_ object: AnyObject) -> Bool {
    DeallocationHook.install()
    return kvos_watch_deallocation(Unmanaged.passUnretained(object).toOpaque()) == 0
  }

  private func unwatch(_ record: ObjectRecord) {
    guard let pointer = UnsafeRawPointer(bitPattern: record.address) else { return }
    kvos_unwatch_deallocation(pointer)
  }

  /// Removes an object that is deallocated, or whose memory is about to be freed.
  func forget(_ record: ObjectRecord) {
    let isForgotten = shard(of: record.address).records.withLock { records in
      guard records[record.address] === record else { return false }
      records[record.address] = nil
      return true
    }
    if isForgotten, record.isWatched { unwatch(record) }
  }

  /// The registrations of all objects that are observed now, in the order of the objects' numbers.
  ///
  /// Complexity: O(objects), shard by shard: not one consistent snapshot while other threads run.
  var subjects: [SubjectStorage] {
    shards.flatMap { shard in shard.records.withLock { $0.all } }
      .sorted { $0.ref.id.rawValue < $1.ref.id.rawValue }
      .compactMap(\.subject)
      .filter { $0.count > 0 }
  }

  /// The records of all objects; nil for a shard that another thread is using.
  ///
  /// Waits for no lock. Complexity: O(objects).
  var recordsIfAvailable: [[ObjectRecord]?] {
    shards.map { shard in shard.records.withLockIfAvailable { $0.all } }
  }

  /// Whether the library knows no object yet.
  var isUntouched: Bool { lastNumber.load(ordering: .relaxed) == 0 }

  private func makeRecord(of object: AnyObject, endsWithObject: Bool) -> ObjectRecord {
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
    return ObjectRecord(object: object, ref: ref, endsWithObject: endsWithObject)
  }

  private func shard(of address: UInt) -> Shard {
    // The low four bits of an object's address are zero.
    shards[Int(truncatingIfNeeded: (address >> 4) % 16)]
  }
}
