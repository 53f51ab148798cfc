import CElfutils
import KVORules

/// Everything that is known of one image's addresses, in file addresses.
///
/// Mutable state: `names`, the demangled names by the pointer to the mangled one, which only grows.
/// The debug information fills itself on demand.
final class ImageSymbols {
  /// What is missing although the file could be used, or nil.
  let problem: ImageProblem?
  private let image: ElfFile
  private let debugFile: ElfFile?
  private let debugInformation: DebugInformation?
  private let symbols: SymbolTable
  private var names: [UnsafePointer<CChar>: FunctionName] = [:]
  private var scratch: [CompileUnit.RawFrame] = []

  /// Opens the file at `path`, which must have the given build-id unless that is empty.
  ///
  /// - Throws: why nothing of the file can be used.
  init(path: String, buildID: String, separate: SeparateDebugFile) throws(ImageProblem) {
    let image = try ElfFile(path: path)
    let recorded = buildID.lowercased()
    if !recorded.isEmpty, recorded != image.buildID {
      throw image.buildID.isEmpty
        ? .buildIDGone(recorded: recorded)
        : .rebuilt(recorded: recorded, found: image.buildID)
    }
    self.image = image

    let code = CodeRanges(ranges: image.codeRanges)
    var debugFile: ElfFile?
    var information = DebugInformation(of: image, code: code)
    if information == nil, let file = separate.find(for: image) {
      information = DebugInformation(of: file, code: code)
      debugFile = file
    }
    var symbols = SymbolTable(of: image, type: SHT_SYMTAB)
    if symbols.functions.isEmpty, let debugFile {
      symbols = SymbolTable(of: debugFile, type: SHT_SYMTAB)
    }
    let hasFullTable = !symbols.functions.isEmpty
    if !hasFullTable { symbols = SymbolTable(of: image, type: SHT_DYNSYM) }

    self.debugFile = debugFile
    debugInformation = information
    self.symbols = symbols
    if information != nil {
      problem = nil
    } else if hasFullTable {
      problem = .noDebugInformation
    } else {
      problem = symbols.functions.isEmpty ? .stripped : .onlyExportedSymbols
    }
  }

  /// The frames at `address`, innermost first.
  ///
  /// The name in the debug information wins over the one in the symbol table, where functions that
  /// the optimizer or the linker merged share one.
  func frames(at address: UInt64) -> [SourceFrame] {
    scratch.removeAll(keepingCapacity: true)
    debugInformation?.appendFrames(at: address, to: &scratch)
    if scratch.isEmpty {
      scratch.append(CompileUnit.RawFrame(function: nil, file: nil, line: 0))
    }
    let last = scratch.count - 1
    if scratch[last].function == nil { scratch[last].function = symbols.name(at: address) }
    guard scratch[last].function != nil || scratch[last].file != nil else { return [] }

    var frames: [SourceFrame] = []
    frames.reserveCapacity(scratch.count)
    for (index, frame) in scratch.enumerated() {
      let name = frame.function.map { self.name($0) }
      frames.append(
        SourceFrame(
          function: name?.text ?? "",
          swiftModule: name?.swiftModule,
          file: frame.file,
          line: frame.line,
          isInlined: index < last
        )
      )
    }
    return frames
  }

  private func name(_ mangled: UnsafePointer<CChar>) -> FunctionName {
    if let known = names[mangled] { return known }
    let name = FunctionName(mangled: String(cString: mangled))
    names[mangled] = name
    return name
  }
}
