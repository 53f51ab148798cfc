import BenchmarkDriver
import Foundation
import KVORules
import KVOSymbols
import KVOTrace

/// Symbolicates addresses of an image, from a list of them, like llvm-symbolizer.
///
/// - `SymbolsDriver each|batch <image> <file with an address a line>`: looks up one address after
///   another, or all at once. Prints function and line of every frame, and a blank line after the
///   frames of an address. Measured as a whole, like its peer.
/// - `SymbolsDriver each|batch|known <operations> <scratch> <image> <file>`: the same with the list
///   in memory and without output; measures its own time, from the creation of the resolver on. An
///   operation is an address of the file, which has this number of addresses. `known`: one by one,
///   after a lookup of the byte after each address before the clock started, so that its unit is
///   read and its functions have names.
///
/// `indexed` and `indexed-known` are `batch` and `known` with an index in a folder beside the
/// addresses, and fail without one; `index` creates it again, as its only operation.
@main
enum SymbolsDriver {
  static func main() throws {
    let arguments = CommandLine.arguments
    let modes =
      ["each", "batch", "indexed"]
      + (arguments.count == 6 ? ["known", "indexed-known", "index"] : [])
    guard arguments.count == 4 || arguments.count == 6, modes.contains(arguments[1]) else {
      MeasuredRun.fail(
        "usage: \(arguments[0]) each|batch|known|indexed|indexed-known|index [operations scratch] image "
          + "addresses",
        status: 64
      )
    }
    let isBatch = ["batch", "indexed"].contains(arguments[1])
    let folder = SymbolIndexFolder(path: "\(arguments[arguments.count - 1]).index", program: "")
    let indices = arguments[1].hasPrefix("index") ? folder : nil
    let path = arguments[arguments.count - 2]
    let image = Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    if arguments[1] == "index" { return make(folder, image) }
    let resolver = DwarfFrameResolver(indices: indices)
    let addresses = try addresses(in: arguments[arguments.count - 1])
    if arguments.count == 6 {
      let run = MeasuredRun()
      guard run.operationCount == addresses.count else {
        MeasuredRun.fail("\(addresses.count) addresses where there are \(run.operationCount)")
      }
      var namedCount = 0
      if run.name.hasSuffix("known") {
        name(addresses.map { $0 + 1 }, in: image, by: resolver) { _ in }
      }
      run.measure {
        name(addresses, in: image, by: resolver, isBatch) { namedCount += $0.isEmpty ? 0 : 1 }
      }
      check(namedCount)
      if indices != nil { checkIndex(resolver, image) }
      return
    }
    var output: [UInt8] = []
    var namedCount = 0
    name(addresses, in: image, by: resolver, isBatch) { frames in
      if !frames.isEmpty { namedCount += 1 }
      append(frames, to: &output)
    }
    try FileHandle.standardOutput.write(contentsOf: output)
    check(namedCount)
    if indices != nil { checkIndex(resolver, image) }
  }

  private static func checkIndex(_ resolver: DwarfFrameResolver, _ image: Module) {
    let outcome = resolver.makeIndex(of: image)
    guard outcome == .existed else { MeasuredRun.fail("there was no index: \(outcome)") }
  }

  private static func make(_ folder: SymbolIndexFolder, _ image: Module) {
    _ = folder.removeAll()
    let run = MeasuredRun()
    var outcome = SymbolIndexOutcome.notKept
    run.measure { outcome = DwarfFrameResolver(indices: folder).makeIndex(of: image) }
    guard case .made = outcome else { MeasuredRun.fail("no index was made: \(outcome)") }
  }

  /// Return addresses: the resolver looks up the preceding byte, the peer the address itself.
  private static func addresses(in file: String) throws -> [UInt64] {
    // Data is slow to split.
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    return bytes.split(separator: 0x0a).map { line in
      guard let address = UInt64(String(decoding: line.dropFirst(2), as: UTF8.self), radix: 16)
      else { MeasuredRun.fail("no address: \(String(decoding: line, as: UTF8.self))") }
      return address + 1
    }
  }

  private static func name(
    _ addresses: [UInt64],
    in image: Module,
    by resolver: DwarfFrameResolver,
    _ isBatch: Bool = false,
    _ body: ([SourceFrame]) -> Void
  ) {
    if isBatch {
      for frames in resolver.frames(at: addresses, in: image) { body(frames) }
    } else {
      for address in addresses { body(resolver.frames(at: address, in: image)) }
    }
  }

  private static func append(_ frames: [SourceFrame], to output: inout [UInt8]) {
    for frame in frames {
      output.append(contentsOf: frame.function.utf8)
      output.append(UInt8(ascii: "\n"))
      output.append(contentsOf: (frame.file ?? "??").utf8)
      output.append(UInt8(ascii: ":"))
      output.append(contentsOf: String(frame.line).utf8)
      output.append(UInt8(ascii: "\n"))
    }
    output.append(UInt8(ascii: "\n"))
  }

  /// A list of addresses without names would take no time.
  private static func check(_ namedCount: Int) {
    guard namedCount > 0 else { MeasuredRun.fail("no address has a name") }
  }
}
