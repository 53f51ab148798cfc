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
    if let known = knownRecord(of: object), known.isWatched || known.object != nil { return known }
    let record = makeRecord(of: object)
    guard record.object != nil else { return record }
    return shard(of: record.address).records.withLock { records in
      if let known = records[record.address], known.object != nil { return known }
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

  /// Makes the hook of its class report the object's deallocation.
  ///
  /// If the class cannot be hooked, the weak reference shows it, later. The hook does not report a deinit that has begun:
  /// the record would wait for its end for ever, and be taken for that of the next object at the address.
  func watch(_ record: ObjectRecord, of object: AnyObject) {
    guard !record.isWatched, record.object != nil else { return }
    let pointer = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    DeallocationHook.install()
    // Two threads that race here watch twice: the second watch remains as a count that only makes other objects of the
    // same hash look possibly watched.
    if kvos_watch_deallocation(pointer) == 0 { record.isWatched = true }
  }

  /// Removes an object that is deallocated, or whose memory is about to be freed.
  func forget(_ record: ObjectRecord) {
    let isForgotten = shard(of: record.address).records.withLock { records in
      guard records[record.address] === record else { return false }
      records[record.address] = nil
      return true
    }
    guard isForgotten, record.isWatched,
      let pointer = UnsafeRawPointer(bitPattern: record.address)
    else { return }
    kvos_unwatch_deallocation(pointer)
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
