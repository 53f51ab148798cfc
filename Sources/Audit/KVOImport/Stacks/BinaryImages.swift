/// The list of images at the end of a crash report in text.
struct BinaryImages {
  private struct Image {
    var start: UInt64
    var end: UInt64
    var uuid: String
    var isInSystem: Bool
  }

  private var images: [Image] = []

  /// Reads the lines after `Binary Images:` in `text`.
  ///
  /// Complexity: O(length).
  init(in text: CleanText) {
    var isList = false
    for line in text.lineStarts.indices {
      let bytes = text.bytes[text.lineRange(line)].drop(while: \.isBlank)
      if bytes.starts(with: "Binary Images:".utf8) {
        isList = true
      } else if isList, bytes.starts(with: "0x".utf8), let image = Self.image(bytes) {
        images.append(image)
      }
    }
  }

  /// `0x100030000 - 0x10006ffff Gauges arm64  <0123…> /path`.
  private static func image(_ bytes: ArraySlice<UInt8>) -> Image? {
    guard let dash = FrameLine.first(" - ", in: bytes.prefix(60)),
      let start = Operand.address(in: bytes[..<dash]),
      let end = Operand.address(in: bytes[(dash + 3)...].prefix(24)),
      let open = bytes.firstIndex(of: UInt8(ascii: "<")),
      let close = bytes[open...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let uuid = String(decoding: bytes[open + 1..<close], as: UTF8.self)
    let path = FrameLine.trimmed(bytes[(close + 1)...])
    return Image(
      start: start,
      end: end,
      uuid: MachOName.uuid(uuid),
      isInSystem: ImageOrigin.isSystem(path: String(decoding: path, as: UTF8.self))
    )
  }

  /// Determines the image of each frame, and the offset in it.
  func assignImages(to stacks: inout [StackTrace]) {
    guard !images.isEmpty else { return }
    for stack in stacks.indices {
      for frame in stacks[stack].frames.indices {
        guard let address = stacks[stack].frames[frame].address,
          let image = images.first(where: { $0.start <= address && address <= $0.end })
        else { continue }
        stacks[stack].frames[frame].imageUUID = image.uuid
        stacks[stack].frames[frame].imageOffset = address - image.start
        stacks[stack].frames[frame].isInSystem = image.isInSystem
      }
    }
  }
}

/// How the UUID of an image is compared.
enum MachOName {
  /// Upper case, without dashes.
  static func uuid(_ text: String) -> String { text.uppercased().filter { $0 != "-" } }
}
