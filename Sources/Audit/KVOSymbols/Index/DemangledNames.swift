import Dispatch

/// The names of functions by number, demangled on other threads while more are added.
///
/// Demangling takes about as long as reading the debug information that the names are in.
///
/// Mutable state of the thread that adds names: `waiting`, the names that were not passed to
/// another thread yet, and `batches`. A batch belongs to the thread that demangles it until the
/// group says that all have finished.
struct DemangledNames {
  /// The number of names so far.
  private(set) var count = 0
  private var waiting: [UnsafePointer<CChar>] = []
  private var batches: [Batch] = []
  private let group = DispatchGroup()
  /// A batch takes about a millisecond.
  private static let batchCount = 256

  private final class Batch: @unchecked Sendable {
    // Sendable: `names` is written by one thread, before it leaves the group that the reader waits for.
    var names: [FunctionName] = []
    // Read only; the names outlive the batch, as ``DemangledNames`` demands.
    let mangled: [UnsafePointer<CChar>]

    init(_ mangled: [UnsafePointer<CChar>]) { self.mangled = mangled }

    func demangle() { names = mangled.map { FunctionName(mangled: $0) } }
  }

  /// Adds a name, which must not be freed before ``all()`` is called.
  mutating func append(_ mangled: UnsafePointer<CChar>) {
    count += 1
    waiting.append(mangled)
    if waiting.count == Self.batchCount { demangleWaiting() }
  }

  /// All names, in the order in which they were added.
  mutating func all() -> [FunctionName] {
    demangleWaiting()
    group.wait()
    return batches.flatMap(\.names)
  }

  private mutating func demangleWaiting() {
    let batch = Batch(waiting)
    waiting.removeAll(keepingCapacity: true)
    batches.append(batch)
    DispatchQueue.global(qos: .userInitiated).async(group: group) { batch.demangle() }
  }
}
