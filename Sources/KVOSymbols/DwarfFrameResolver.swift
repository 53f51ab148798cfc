package import KVORules
package import KVOTrace

/// Names the functions and source lines behind recorded addresses, from the ELF and DWARF of the
/// images that the log lists.
///
/// An image is used only if it has the build-id that was recorded. Its debug information may also
/// stand in a separate file, found by build-id or debug link on the local disk, or named (``DebugFiles``);
/// no server is asked. A named file stands in for an image that is not there, too.
/// The symbol table names functions where there is no debug information. Damaged files cost names
/// and make a ``problem(with:)``; they do not trap.
///
/// What is read stays in memory, and is bounded by the image: libelf's copy of its sections; for each
/// compile unit that was asked about 16 bytes for each row of its line table and about 130 for each
/// function and inlined call; each name and each path once. Frames by address are kept for 65,536
/// addresses at most.
///
/// Not `Sendable`: use it from one thread at a time, as libelf and libdw demand of their handles.
///
/// Mutable state, guarded by that alone:
/// - `images`: what was opened, or why not, by path and build-id. Entries are made at the first
///   question about a module and stay, with their open files, for the life of the resolver.
/// - `latest`: the entry asked for last, because the frames of a stack mostly lie in one image.
package final class DwarfFrameResolver: FrameResolver {
  private struct Key: Hashable {
    var path: String
    var buildID: String
  }

  /// What came of opening one file: exactly one of the last two is not nil.
  private final class Image {
    let key: Key
    let symbols: ImageSymbols?
    let problem: ImageProblem?

    init(key: Key, separate: SeparateDebugFile) {
      self.key = key
      do throws(ImageProblem) {
        symbols = try ImageSymbols(path: key.path, buildID: key.buildID, separate: separate)
        problem = nil
      } catch {
        let named = separate.named.paths[key.buildID.lowercased()]
        symbols = named.flatMap {
          try? ImageSymbols(path: $0, buildID: key.buildID, separate: separate)
        }
        problem = symbols == nil ? error : nil
      }
    }
  }

  private let separate: SeparateDebugFile
  private var images: [Key: Image] = [:]
  private var latest: Image?

  /// Makes a resolver that has read nothing yet.
  ///
  /// - Parameters:
  ///   - debugRoots: the folders where separate debug files are installed.
  ///   - debugFiles: what somebody named beside those.
  package init(debugRoots: [String] = ["/usr/lib/debug"], debugFiles: DebugFiles = DebugFiles()) {
    separate = SeparateDebugFile(roots: debugRoots, named: debugFiles)
  }

  /// The named files whose build-id no module had that was asked about so far, sorted.
  package var unusedDebugFiles: [String] {
    let asked = Set(images.keys.map { $0.buildID.lowercased() })
    return separate.named.paths.filter { !asked.contains($0.key) }.map(\.value).sorted()
  }

  /// The source frames at the call that returns to `returnAddress`, innermost first.
  ///
  /// What is looked up is the byte before it, which belongs to the call. The line is 0 and the file
  /// nil for code that the compiler made up, where no line before it in its function says more. The
  /// array is empty for an address below the image, for one that nothing is known of, and where the
  /// file cannot be used.
  ///
  /// - Complexity: O(log n) in the functions of the image. The first address in a compile unit
  ///   reads that unit.
  package func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
    guard returnAddress > module.loadBias, let symbols = image(of: module).symbols else {
      return []
    }
    return symbols.frames(at: returnAddress - 1 - module.loadBias)
  }

  /// The source frames of many return addresses, in their order.
  ///
  /// They are looked up by ascending address, so that each compile unit is read and used once while
  /// it is in the processor's caches: a quarter faster for addresses that were not asked for before.
  ///
  /// - Complexity: O(k log k) for k addresses, besides what ``frames(at:in:)`` says of each.
  package func frames(at returnAddresses: [UInt64], in module: Module) -> [[SourceFrame]] {
    guard let symbols = image(of: module).symbols else {
      return Array(repeating: [], count: returnAddresses.count)
    }
    var answers: [[SourceFrame]] = Array(repeating: [], count: returnAddresses.count)
    let order = returnAddresses.indices.sorted { returnAddresses[$0] < returnAddresses[$1] }
    for index in order where returnAddresses[index] > module.loadBias {
      answers[index] = symbols.frames(at: returnAddresses[index] - 1 - module.loadBias)
    }
    return answers
  }

  /// What kept the resolver from reading `module`, or from reading all of it, as a sentence.
  package func problem(with module: Module) -> String? {
    let image = image(of: module)
    let problem = image.problem ?? image.symbols?.problem
    return problem?.sentence(about: module.path)
  }

  private func image(of module: Module) -> Image {
    if let latest, latest.key.path == module.path, latest.key.buildID == module.buildID {
      return latest
    }
    let key = Key(path: module.path, buildID: module.buildID)
    let image = images[key] ?? Image(key: key, separate: separate)
    images[key] = image
    latest = image
    return image
  }
}
