import KVOFindings
import KVOImport
import KVORules

/// What libFuzzer calls with each text: reads it whole and in two pieces, which must say the same.
///
/// It searches for a crash, a hang or a difference. The first byte is the offset at which the text is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let text = bytes[1...]
  let cut = 1 + Int(first) * text.count / 256
  let whole = findings(in: [text])
  let parts = findings(in: [text[..<cut], text[cut...]])
  precondition(whole == parts, "a text says something else when it is read in pieces")
  return 0
}

private func findings(in pieces: [ArraySlice<UInt8>]) -> [Finding] {
  let reader = ReportImporter().reader(profile: nil, appModules: [])
  for piece in pieces { reader.read(piece) }
  return reader.finish().findings
}
