import Glibc
import KVOSystem

/// The headers of a file in Apple's object format: enough to find a report's image in it.
///
/// Reads the headers alone. Numbers are those of mach-o/loader.h and mach-o/fat.h.
struct MachOImage: Hashable {
  /// Upper case, without dashes.
  var uuid: String
  /// The address of the image's code if it is loaded at its preferred address.
  var textAddress: UInt64
  var path: String
  /// As llvm-symbolizer names it after the path.
  var architecture: String

  private static let headerByteCount = 1 << 16

  /// The images in the file at `path`: one for each processor; none if it is another format.
  static func images(in path: String) -> [MachOImage] {
    // A FIFO without a writer would be waited for.
    let file = repeatingInterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { return [] }
    defer { close(file) }
    func bytes(at offset: UInt64) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: headerByteCount)
      let count = repeatingInterrupted { pread(file, &bytes, bytes.count, Int(clamping: offset)) }
      return Array(bytes.prefix(max(count, 0)))
    }
    let head = bytes(at: 0)
    guard big32(head, 0) == 0xcafe_babe else { return image(head, path).map { [$0] } ?? [] }
    // A file for several processors; a class file of Java begins alike, and has no such slices.
    return (0..<min(Int(big32(head, 4) ?? 0), 16)).compactMap { index in
      big32(head, 8 + index * 20 + 8).flatMap { image(bytes(at: UInt64($0)), path) }
    }
  }

  private static func image(_ bytes: [UInt8], _ path: String) -> MachOImage? {
    guard little32(bytes, 0) == 0xfeed_facf, let count = little32(bytes, 16) else { return nil }
    var uuid: String?
    var text: UInt64?
    var offset = 32
    for _ in 0..<min(count, 4_096) {
      guard let command = little32(bytes, offset), let size = little32(bytes, offset + 4), size >= 8
      else { break }
      switch command {
      case 0x1b where offset + 24 <= bytes.count:
        uuid = bytes[offset + 8..<offset + 24].map(hexadecimal).joined()
      case 0x19 where offset + 32 <= bytes.count:
        let name = bytes[offset + 8..<offset + 24].prefix { $0 != 0 }
        if name.elementsEqual("__TEXT".utf8) { text = little64(bytes, offset + 24) }
      default: break
      }
      offset += Int(size)
    }
    guard let uuid, let text, let processor = little32(bytes, 4) else { return nil }
    let architecture = processor == 0x0100_0007 ? "x86_64" : processor == 0x0100_000c ? "arm64" : ""
    return MachOImage(uuid: uuid, textAddress: text, path: path, architecture: architecture)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func little32(_ bytes: [UInt8], _ offset: Int) -> UInt32? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    return (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
  }

  private static func little64(_ bytes: [UInt8], _ offset: Int) -> UInt64? {
    guard let low = little32(bytes, offset), let high = little32(bytes, offset + 4) else {
      return nil
    }
    return UInt64(high) << 32 | UInt64(low)
  }

  private static func big32(_ bytes: [UInt8], _ offset: Int) -> UInt32? {
    little32(bytes, offset)?.byteSwapped
  }
}
