/// An image (executable or shared library) that addresses of the recorded process lie in.
@usableFromInline
package struct Module: Hashable, Sendable {
  /// Where the image was on the recorded machine, as an absolute path.
  package var path: String
  /// The GNU build-id in lower-case hexadecimal, or an empty string if the image has none.
  package var buildID: String
  /// The load bias: the offset that the loader added to the addresses of the file, in bytes.
  package var loadBias: UInt64
  /// The first address of executable code, in the recorded process.
  package var textStart: UInt64
  /// The address after the last byte of executable code.
  package var textEnd: UInt64

  package init(
    path: String,
    buildID: String,
    loadBias: UInt64,
    textStart: UInt64,
    textEnd: UInt64
  ) {
    self.path = path
    self.buildID = buildID
    self.loadBias = loadBias
    self.textStart = textStart
    self.textEnd = textEnd
  }

  /// Whether `address` lies in the image's code.
  package func contains(_ address: UInt64) -> Bool {
    textStart <= address && address < textEnd
  }
}
