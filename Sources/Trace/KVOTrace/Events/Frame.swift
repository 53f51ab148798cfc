/// One frame of a recorded stack, as the log gives it: mostly a bare address, sometimes a text.
///
/// Symbols are not looked up while recording. Other writers may know and record them; names in the log are never
/// overridden by a later lookup.
package struct Frame: Hashable, Sendable {
  /// A return address in the recorded process, or 0 if the log gives none.
  ///
  /// It is an opaque number: a lookup uses the byte before it, at the call.
  package var address: UInt64 = 0
  /// The function, or ``StringID/none``.
  package var symbol: StringID = .none
  /// The image's name or path, or ``StringID/none``.
  package var module: StringID = .none
  /// The source file, or ``StringID/none``.
  package var file: StringID = .none
  /// The line in `file`, 1-based; 0 if it is not known.
  package var line: UInt32 = 0

  package init(
    address: UInt64 = 0,
    symbol: StringID = .none,
    module: StringID = .none,
    file: StringID = .none,
    line: UInt32 = 0
  ) {
    self.address = address
    self.symbol = symbol
    self.module = module
    self.file = file
    self.line = line
  }
}
