package import KVOTrace

/// Symbolicates recorded addresses, from the ELF and DWARF of the images that the log lists.
///
/// An image is used only if it has the build-id that was recorded. Its debug information may also be in a separate
/// file, found by build-id or debug link on the local disk, named (``DebugFiles``), or in a ``SymbolStore``; no server is
/// contacted. A file that is named or in the store also replaces a missing image. The symbol table names functions if
/// there is no debug information. Damaged files lose names and cause a ``problem(with:)``; they do not trap.
///
/// Data that was read stays in memory, and is bounded by the image: libelf's copy of its sections; for each queried
/// compile unit about 24 bytes for each row of its line table, besides libdw's own copy of the rows, and about 130 for
/// each function and inlined call; each name and each path once. Frames by address are kept for 65,536 addresses at
/// most.
///
/// With a ``SymbolIndexFolder``, an image that has an index is not read at all, and an image for
/// which many addresses are looked up gets one; the results are the same.
///
/// Not `Sendable`: use it from one thread at a time, as libelf and libdw require for their handles.
///
/// Mutable state, guarded only by that:
/// - `images`: the opened files, or the reasons why not, by path and build-id. Entries are created at the first query
///   about a module and kept, with their open files, for the life of the resolver.
/// - `latest`: the last queried entry, because the frames of a stack mostly lie in one image.
package final class DwarfFrameResolver: FrameResolver {
  private let separate: SeparateDebugFile
  private let indices: SymbolIndexFolder?
  private var images: [ResolvedImage.Key: ResolvedImage] = [:]
  private var latest: ResolvedImage?

  /// Makes a resolver that has read nothing yet.
  ///
  /// - Parameters:
  ///   - debugRoots: the folders where separate debug files are installed.
  ///   - debugFiles: the files that the user named in addition to those.
  ///   - store: the symbol store of the user.
  ///   - indices: where indices are kept, or nil to use none.
  package init(
    debugRoots: [String] = ["/usr/lib/debug"],
    debugFiles: DebugFiles = DebugFiles(),
    store: SymbolStore? = nil,
    indices: SymbolIndexFolder? = nil
  ) {
    self.indices = indices
    separate = SeparateDebugFile(roots: debugRoots, named: debugFiles, store: store)
  }

  /// The named files whose build-id no queried module had so far, sorted.
  package var unusedDebugFiles: [String] {
    let asked = Set(images.keys.map { $0.buildID.lowercased() })
    return separate.named.paths.filter { !asked.contains($0.key) }.map(\.value).sorted()
  }

  /// The source frames at the call that returns to `returnAddress`, innermost first.
  ///
  /// The byte before it is looked up, which belongs to the call. The line is 0 and the file nil for compiler-generated
  /// code, if no previous line in its function is known. The array is empty for an address below the image, for an
  /// unknown one, and if the file cannot be used.
  ///
  /// - Complexity: O(log n) in the functions of the image. The first address in a compile unit
  ///   reads that unit.
  package func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
    guard returnAddress > module.loadBias else { return [] }
    return image(of: module).frames(at: returnAddress - 1 - module.loadBias)
  }

  /// The source frames of many return addresses, in their order.
  ///
  /// They are looked up by ascending address, so that each compile unit is read and used once while it is in the
  /// processor's caches: a quarter faster for addresses that were not looked up before.
  ///
  /// - Complexity: O(k log k) for k addresses, plus the complexity of ``frames(at:in:)`` for each.
  package func frames(at returnAddresses: [UInt64], in module: Module) -> [[SourceFrame]] {
    let image = image(of: module)
    var answers: [[SourceFrame]] = Array(repeating: [], count: returnAddresses.count)
    guard image.isUsable else { return answers }
    image.expect(returnAddresses.count)
    let order = returnAddresses.indices.sorted { returnAddresses[$0] < returnAddresses[$1] }
    for index in order where returnAddresses[index] > module.loadBias {
      answers[index] = image.frames(at: returnAddresses[index] - 1 - module.loadBias)
    }
    return answers
  }

  /// The names of the parameters and variables of the function at `returnAddress`, in no particular order.
  ///
  /// The function that forwards a call to a closure has those of the closure, if it is inlined into it. Empty if there is
  /// no debug information, and for an image that has an index, which does not have them.
  ///
  /// - Complexity: that of ``frames(at:in:)``, and O(n) in the entries of the function.
  package func variables(at returnAddress: UInt64, in module: Module) -> [String] {
    guard returnAddress > module.loadBias else { return [] }
    return image(of: module).variables(at: returnAddress - 1 - module.loadBias)
  }

  /// Why the resolver could not read `module`, or only a part of it, as a sentence.
  package func problem(with module: Module) -> String? {
    image(of: module).problem?.sentence(about: module.path)
  }

  /// Makes the index of `module`, unless there is one.
  package func makeIndex(of module: Module) -> SymbolIndexOutcome {
    let image = image(of: module)
    guard image.isUsable else {
      return .unusable(image.problem?.sentence(about: module.path) ?? "")
    }
    return image.makeIndex()
  }

  private func image(of module: Module) -> ResolvedImage {
    if let latest, latest.key.path == module.path, latest.key.buildID == module.buildID {
      return latest
    }
    let key = ResolvedImage.Key(path: module.path, buildID: module.buildID)
    let image = images[key] ?? ResolvedImage(key: key, separate: separate, indices: indices)
    images[key] = image
    latest = image
    return image
  }
}
