private import CKVOChecksum

/// The layout of the file of a ``SymbolIndex``.
///
/// A header of ten 64-bit words, then columns of 32-bit words, then text. All numbers have the byte
/// order of the machine: an index is a cache, and is not moved. In the order of the file:
///
/// | column | for each | value |
/// |---|---|---|
/// | `starts` | row | the first address of the row, from the base on; ascending |
/// | `rowScopes` | row | the innermost function or inlined call, or 0 for an address without frames |
/// | `rowFiles` | row | the text with the path of the file, or 0 |
/// | `rowLines` | row | the line, or 0 |
/// | `functions` | scope | the text with the name |
/// | `modules` | scope | the text with the Swift module, or 0 |
/// | `parents` | scope | the scope that it was inlined into, which is before it, or 0 |
/// | `callFiles` | scope | the text with the file of the inlined call, or 0 |
/// | `callLines` | scope | the line of the inlined call, or 0 |
/// | `textEnds` | text | where the text ends in the bytes that follow; it begins where the one before it ends |
///
/// Scopes and texts are counted from 1.
enum SymbolIndexLayout {
  /// Must be raised with every change of the layout, and of the names, files and lines of an image.
  static let version: UInt64 = 1

  /// "KVOINDEX".
  static let magic: UInt64 = 0x5845_444e_494f_564b

  /// The words of the header, by their index.
  enum Word: Int, CaseIterable {
    case magic
    /// Of all bytes after it.
    case checksum
    case version
    case key
    case base
    case rowCount
    case scopeCount
    case textCount
    case textByteCount
    case reserved
  }

  static let headerByteCount = Word.allCases.count * 8
  static let checksumEnd = (Word.checksum.rawValue + 1) * 8
  static let rowColumnCount = 4
  static let scopeColumnCount = 5

  /// The maximum size of an index; a larger file was not written by this code.
  static let byteLimit = 1 << 30

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    kvos_checksum(bytes.baseAddress, UInt64(bytes.count), 0)
  }
}
