import KVOTrace

/// An image that a resolver was asked about: its index, or the data read from its file, or the
/// reason why there is none.
///
/// Mutable state: `content`, which becomes an index when one is created, and `isIndexingDue`, which
/// becomes false with the first attempt to create one.
final class ResolvedImage {
  struct Key: Hashable {
    var path: String
    var buildID: String
  }

  private enum Content {
    case index(SymbolIndex)
    case symbols(ImageSymbols)
    case problem(ImageProblem)
  }

  /// After this many addresses an index is created: reading a whole image costs about as much as
  /// symbolicating some thousands of its addresses, so most reports gain nothing from an index.
  private static let indexingCount = 256

  /// An image with more debug information than this gets no index unless it is requested.
  private static let unaskedByteLimit: UInt64 = 256 << 20

  let key: Key
  private var content: Content
  private let indices: SymbolIndexFolder?
  private let indexKey: SymbolIndexKey?
  /// The separate debug file that the key includes, or nil.
  private let debugPath: String?
  private var isIndexingDue = true

  /// Opens the file at the path of `key`, or one with its build-id that the user provided.
  init(key: Key, separate: SeparateDebugFile, indices: SymbolIndexFolder?) {
    self.key = key
    self.indices = indices
    var image: ElfFile?
    var problem = ImageProblem.missing
    do throws(ImageProblem) {
      image = try ImageSymbols.open(path: key.path, buildID: key.buildID)
    } catch {
      problem = error
      image = separate.replacement(ofBuildID: key.buildID)
    }
    // The stored file has an index that all users of the store share.
    if let stripped = image, stripped.debugInformationByteCount == 0,
      let stored = separate.stored(withBuildID: stripped.buildID),
      stored.debugInformationByteCount > 0
    {
      image = stored
    }
    guard let image else {
      content = .problem(problem)
      indexKey = nil
      debugPath = nil
      return
    }
    var indexKey: SymbolIndexKey?
    var debugFile: ElfFile?
    if let indices {
      if image.debugInformationByteCount == 0 { debugFile = separate.find(for: image) }
      // Before libdw decompresses sections, which changes their table in memory.
      indexKey = SymbolIndexKey(image: image, debugFile: debugFile)
      debugPath = debugFile?.path
      if let known = indexKey, let index = indices.index(for: known) {
        content = .index(index)
        self.indexKey = indexKey
        return
      }
    } else {
      debugPath = nil
    }
    content = .symbols(ImageSymbols(of: image, separate: separate))
    self.indexKey = indexKey
  }

  /// Whether any data of the image can be read.
  var isUsable: Bool {
    if case .problem = content { return false }
    return true
  }

  /// The reason why the image, or a part of it, could not be read.
  var problem: ImageProblem? {
    switch content {
    // Only an image with debug information has one.
    case .index: nil
    case .symbols(let symbols): symbols.problem
    case .problem(let problem): problem
    }
  }

  /// The frames at `address`, innermost first.
  func frames(at address: UInt64) -> [SourceFrame] {
    switch content {
    case .index(let index): return index.frames(at: address)
    case .problem: return []
    case .symbols(let symbols):
      expect(symbols.answerCount)
      if case .index(let index) = content { return index.frames(at: address) }
      return symbols.frames(at: address)
    }
  }

  /// The names of the parameters and variables of the function at `address`.
  func variables(at address: UInt64) -> [String] {
    guard case .symbols(let symbols) = content else { return [] }
    return symbols.variables(at: address)
  }

  /// Announces that `count` addresses were or will be looked up, so that an index may be created.
  func expect(_ count: Int) {
    guard isIndexingDue, count >= Self.indexingCount, indices != nil else { return }
    isIndexingDue = false
    guard case .symbols(let symbols) = content,
      symbols.debugInformationByteCount <= Self.unaskedByteLimit
    else { return }
    _ = makeIndex()
  }

  /// Creates the index, unless there is one.
  func makeIndex() -> SymbolIndexOutcome {
    guard case .symbols(let symbols) = content else { return .existed }
    // If a section of debug information cannot be read, the other file is looked up after all.
    guard let indices, let indexKey, symbols.debugPath == debugPath, let draft = symbols.draft(),
      let index = indices.keep(draft, for: indexKey)
    else { return .nothingToIndex }
    content = .index(index)
    guard let byteCount = indices.byteCount(for: indexKey) else { return .notKept }
    return .made(byteCount: byteCount)
  }
}

/// The result of creating an index.
package enum SymbolIndexOutcome: Equatable {
  /// It was created; the file has this size.
  case made(byteCount: Int)
  /// It existed already.
  case existed
  /// The image has no build-id or no debug information, or an index cannot represent it completely.
  case nothingToIndex
  /// The folder cannot be written.
  case notKept
  /// The image cannot be read, for the reason in the sentence.
  case unusable(String)
}
