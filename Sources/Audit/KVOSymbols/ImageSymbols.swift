import CElfutils
import KVOTrace

/// The debug information and symbols of one image's addresses, in file addresses.
///
/// Mutable state: `names`, `symbols` and what the debug information reads on demand, none of which is
/// ever emptied; and `answers`, which is emptied when it has grown to its limit.
final class ImageSymbols {
  /// The missing part of a usable file, or nil.
  private(set) var problem: ImageProblem?
  private let image: ElfFile
  private let debugFile: ElfFile?
  private let debugInformation: DebugInformation?
  private let code: CodeRanges
  private let names = FunctionNames()
  private lazy var symbols = readSymbols()
  /// The frames by address.
  ///
  /// The stacks of a log share most of theirs: a repeated query costs a quarter of a new one.
  private var answers: [UInt64: [SourceFrame]] = [:]
  private static let answerLimit = 1 << 16

  /// Opens the file at `path`, which must have the given build-id unless that is empty.
  ///
  /// - Throws: why nothing of the file can be used.
  static func open(path: String, buildID: String) throws(ImageProblem) -> ElfFile {
    let image = try ElfFile(path: path)
    let recorded = buildID.lowercased()
    if !recorded.isEmpty, recorded != image.buildID {
      throw image.buildID.isEmpty
        ? .buildIDGone(recorded: recorded)
        : .rebuilt(recorded: recorded, found: image.buildID)
    }
    return image
  }

  /// Reads what `image` and its separate debug file have.
  init(of image: ElfFile, separate: SeparateDebugFile) {
    self.image = image

    let code = CodeRanges(ranges: image.codeRanges)
    var debugFile: ElfFile?
    var information = DebugInformation(of: image, code: code, names: names)
    if information == nil, let file = separate.find(for: image) {
      information = DebugInformation(of: file, code: code, names: names)
      debugFile = file
    }
    self.code = code
    self.debugFile = debugFile
    debugInformation = information
    if information == nil {
      if symbols.functions.isEmpty {
        problem = .stripped
      } else {
        problem = symbols.isFull ? .noDebugInformation : .onlyExportedSymbols
      }
    }
  }

  /// The frames at `address`, innermost first; none if the image has no code.
  ///
  /// The name in the debug information takes precedence over the one in the symbol table if functions that the
  /// optimizer or the linker merged share one.
  func frames(at address: UInt64) -> [SourceFrame] {
    if let known = answers[address] { return known }
    guard code.contains(address) else { return [] }
    let frames = findFrames(at: address)
    if answers.count == Self.answerLimit { answers.removeAll(keepingCapacity: true) }
    answers[address] = frames
    return frames
  }

  /// The names of the parameters and variables of the function at `address`.
  func variables(at address: UInt64) -> [String] {
    code.contains(address) ? debugInformation?.variables(at: address) ?? [] : []
  }

  private func findFrames(at address: UInt64) -> [SourceFrame] {
    var frames = debugInformation?.frames(at: address) ?? []
    if !frames.isEmpty, !frames[frames.count - 1].function.isEmpty { return frames }
    guard let mangled = symbols.name(at: address) else {
      return frames.first?.file == nil ? [] : frames
    }
    let name = names[mangled]
    if frames.isEmpty {
      frames.append(
        SourceFrame(function: "", swiftModule: nil, file: nil, line: 0, isInlined: false)
      )
    }
    frames[frames.count - 1].function = name.text
    frames[frames.count - 1].swiftModule = name.swiftModule
    return frames
  }

  private func readSymbols() -> SymbolTable {
    for file in [image, debugFile] {
      guard let file else { continue }
      let table = SymbolTable(of: file, type: SHT_SYMTAB)
      if !table.functions.isEmpty { return table }
    }
    return SymbolTable(of: image, type: SHT_DYNSYM)
  }

  /// How many addresses were asked for, up to the limit of those that are remembered.
  var answerCount: Int { answers.count }

  /// How much debug information there is: the size of its largest part.
  var debugInformationByteCount: UInt64 { (debugFile ?? image).debugInformationByteCount }

  /// The path of the separate debug file that is used, or nil.
  var debugPath: String? { debugFile?.path }

  /// The content of an index; nil if there is no debug information.
  ///
  /// - Complexity: O(n log n) in the debug information, all of which is read.
  func draft() -> SymbolIndexDraft? {
    guard let debugInformation else { return nil }
    return SymbolIndexDraft(of: symbols, code: code, information: debugInformation)
  }
}
