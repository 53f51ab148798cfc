import BenchmarkDriver
import Foundation
import Glibc
import KVORules
import KVOSymbols
import KVOTrace

/// Names addresses of an image, from a list of them, as llvm-symbolizer does.
///
/// `SymbolsDriver <image> <file with an address a line>`. Prints function and line of every frame,
/// the frames of an address apart from those of the next by a blank line. Measured as a whole, like
/// its peer.
@main
enum SymbolsDriver {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      MeasuredRun.fail("usage: \(arguments[0]) image addresses", status: 64)
    }
    let image = Module(path: arguments[1], buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    let resolver = DwarfFrameResolver()
    var output: [UInt8] = []
    var namedCount = 0
    let list = try Data(contentsOf: URL(filePath: arguments[2]))
    for line in list.split(separator: 0x0a) {
      guard let address = UInt64(String(decoding: line.dropFirst(2), as: UTF8.self), radix: 16)
      else { MeasuredRun.fail("no address: \(String(decoding: line, as: UTF8.self))") }
      // A resolver looks up the byte before a return address, the peer the address itself.
      let frames = resolver.frames(at: address + 1, in: image)
      if !frames.isEmpty { namedCount += 1 }
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
    try FileHandle.standardOutput.write(contentsOf: output)
    guard namedCount > 0 else { MeasuredRun.fail("no address has a name") }
  }
}
