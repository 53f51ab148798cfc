/// Which words in the frames of waiting tasks are suspected to be references.
///
/// The frames of a waiting task keep words of earlier values: a loop with a weak capture leaves the
/// address of the object that it used last. An object to which only such a word leads has no more
/// owners than those that are known otherwise. So a word is suspected if its target counts at least
/// one owner more, or is a task itself. This proves nothing, and changes no verdict.
struct TaskSuspicion {
  /// The number of owners of an object that was passed to a search besides objects that the search
  /// reaches: the caller, and the array of such objects.
  private static let callerCount = 2

  /// The number of known owners of each object.
  ///
  /// By the complement of the address, which is not to look like a reference.
  private var owners: [UInt: Int]
  private let reader: ObjectReader

  /// - Parameters:
  ///   - graph: all objects that the search reached, with proven references only.
  ///   - objects: the objects that were passed to the search.
  ///   - reader: reads the objects.
  init(of graph: borrowing ObjectGraph, ownedByCaller objects: [UInt], reader: ObjectReader) {
    self.reader = reader
    owners = Dictionary(uniqueKeysWithValues: Set(objects).map { (~$0, Self.callerCount) })
    for object in 0..<graph.objectCount {
      for edge in graph.edges(of: object) {
        owners[~graph.addresses[graph.target(edge)], default: 0] += 1
      }
    }
  }

  /// Whether a word with the address of an object is suspected to be a reference.
  func isPlausible(_ address: UInt) -> Bool {
    if reader.plan(of: address)?.pointee.kind == .task { return true }
    // It may not exist anymore: its task may have continued.
    guard let count = reader.targets.ownerCountNow(of: address) else { return false }
    return count > owners[~address] ?? 0
  }
}
