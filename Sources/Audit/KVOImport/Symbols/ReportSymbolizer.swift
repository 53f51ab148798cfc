import Glibc
import KVOSystem

/// Symbolicates the bare frames of reports with dSYM files, by the UUIDs of their images.
///
/// The DWARF in them is read by llvm-symbolizer, which comes with the toolchain of Swift. An address is looked up once,
/// however many reports have it.
///
/// Mutable state: the lookup results, in `known`, the files of a symbol store that were asked for, in `found`, and
/// `problems`, all under `lock`, because reports are read by several threads. A lookup runs outside of it; two threads
/// that request one address concurrently both look it up, and find the same.
final class ReportSymbolizer: @unchecked Sendable {
  // Sendable: mutable state is guarded by the lock; everything else is set in init.

  private struct ImageAddress: Hashable {
    var uuid: String
    var address: UInt64
  }

  private let images: [String: MachOImage]
  private let stored: (@Sendable (String) -> String?)?
  private let tool: String?
  private let lock = ThreadCondition()
  private var known: [ImageAddress: [StackTrace.Frame]] = [:]
  /// Nil: the store has no file with the UUID.
  private var found: [String: MachOImage?] = [:]
  private var problems: [String] = []

  /// Makes a symbolizer of the dSYM files at `paths`, or in the folders there, and of those in a store.
  init(paths: [String], stored: (@Sendable (String) -> String?)? = nil) {
    var images: [String: MachOImage] = [:]
    for path in paths {
      let found = AppleDebugFiles.files(at: path).flatMap(MachOImage.images)
      if found.isEmpty {
        problems.append(
          "\"\(path)\" has no debug information that can be read; name a .dSYM, an ELF file with a "
            + "build-id, or a folder of them"
        )
      }
      for image in found { images[image.uuid] = image }
    }
    self.images = images
    self.stored = stored
    tool = Self.findTool()
    if tool == nil, !images.isEmpty { problems.append(Self.missingTool) }
  }

  /// Why frames could not be symbolicated, a sentence each.
  var complaints: [String] { lock.withLock { problems } }

  /// Symbolicates the frames of `stack` that have an image with debug information, inlined ones spread out.
  func name(_ stack: StackTrace) -> StackTrace {
    guard let tool else {
      // Only reports on images that are in the store need it.
      if stored != nil,
        stack.frames.contains(where: { imageAddress(of: $0, isInnermost: false) != nil })
      {
        lock.withLock {
          if !problems.contains(Self.missingTool) { problems.append(Self.missingTool) }
        }
      }
      return stack
    }
    var wanted: [String: Set<UInt64>] = [:]
    let imageAddresses = stack.frames.enumerated().map { index, frame in
      imageAddress(of: frame, isInnermost: index == 0)
    }
    lock.withLock {
      for imageAddress in imageAddresses.compactMap(\.self) where known[imageAddress] == nil {
        wanted[imageAddress.uuid, default: []].insert(imageAddress.address)
      }
    }
    for (uuid, addresses) in wanted {
      guard let image = image(uuid) else { continue }
      let found = look(up: addresses.sorted(), in: image, with: tool)
      lock.withLock {
        for (address, frames) in found {
          known[ImageAddress(uuid: uuid, address: address)] = frames
        }
      }
    }
    var result = stack
    result.frames = lock.withLock {
      zip(stack.frames, imageAddresses).flatMap { frame, imageAddress -> [StackTrace.Frame] in
        guard let found = imageAddress.flatMap({ known[$0] }), !found.isEmpty else {
          return [frame]
        }
        return found.map { named in
          var copy = frame
          copy.symbol = named.symbol ?? frame.symbol
          copy.file = named.file ?? frame.file
          copy.line = named.file == nil ? frame.line : named.line
          return copy
        }
      }
    }
    return result
  }

  /// Where in its image the call of a frame is: a return address lies after it.
  private func imageAddress(of frame: StackTrace.Frame, isInnermost: Bool) -> ImageAddress? {
    guard let uuid = frame.imageUUID, let image = image(uuid), let offset = frame.imageOffset,
      frame.file == nil
    else { return nil }
    let address = image.textAddress &+ offset
    return ImageAddress(uuid: uuid, address: isInnermost ? address : address &- 1)
  }

  /// The image with the UUID, of those that were named or of the store.
  private func image(_ uuid: String) -> MachOImage? {
    if let image = images[uuid] { return image }
    guard let stored else { return nil }
    if let image = lock.withLock({ found[uuid] }) { return image }
    let image = stored(uuid).flatMap { path in
      MachOImage.images(in: path).first { $0.uuid == uuid }
    }
    lock.withLock { found[uuid] = .some(image) }
    return image
  }

  private func look(
    up addresses: [UInt64],
    in image: MachOImage,
    with tool: String
  ) -> [(UInt64, [StackTrace.Frame])] {
    let object = image.architecture.isEmpty ? image.path : "\(image.path):\(image.architecture)"
    let arguments =
      ["--obj=\(object)", "--output-style=JSON", "--inlines"]
      + addresses.map { "0x" + String($0, radix: 16) }
    do throws(PipedProgram.Failure) {
      let program = try PipedProgram(tool, arguments, losesErrors: true)
      program.closeInput()
      return Self.answers(program.outputToEnd())
    } catch {
      lock.withLock { problems.append("llvm-symbolizer does not start: \(error)") }
      return []
    }
  }

  /// One JSON value for each address, or a list of them.
  private static func answers(_ bytes: [UInt8]) -> [(UInt64, [StackTrace.Frame])] {
    var result: [(UInt64, [StackTrace.Frame])] = []
    var rest = bytes[...]
    while let first = rest.firstIndex(where: { $0 == 0x7b || $0 == 0x5b }),
      let tree = try? JSONTree(rest[first...])
    {
      let answers = tree.nodes[0].kind == .list ? tree.values(of: 0) : [0]
      for answer in answers {
        guard let address = tree.address(tree[answer, "Address"]) else { continue }
        let symbols = tree[answer, "Symbol"].map(tree.values(of:)) ?? []
        result.append(
          (
            address,
            symbols.compactMap { symbol in
              guard let name = tree.text(tree[symbol, "FunctionName"]), !name.isEmpty else {
                return nil
              }
              let file = tree.text(tree[symbol, "FileName"]).flatMap { $0.isEmpty ? nil : $0 }
              return StackTrace.Frame(
                symbol: Demangler.demangled(name),
                file: file,
                line: tree.number(tree[symbol, "Line"]) ?? 0
              )
            }
          )
        )
      }
      rest = rest[tree.end...]
    }
    return result
  }

  private static let missingTool =
    "there is no llvm-symbolizer on PATH, which reads dSYM files; it comes with Swift and with llvm"

  private static func findTool() -> String? {
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders.split(separator: ":").map { "\($0)/llvm-symbolizer" }
      .first { access($0, X_OK) == 0 }
  }
}
