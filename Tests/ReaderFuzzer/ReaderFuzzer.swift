import Glibc

/// What libFuzzer calls with each input: the reader that `KVO_FUZZ_READER` names reads it.
///
/// It searches for a crash, a hang, and an answer that contradicts another one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FuzzedReader.chosen.read(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

extension FuzzedReader {
  fileprivate static let chosen: FuzzedReader = {
    let name = getenv("KVO_FUZZ_READER").map { String(cString: $0) } ?? ""
    guard let reader = FuzzedReader(rawValue: name) else {
      let names = FuzzedReader.allCases.map(\.rawValue).joined(separator: ", ")
      fatalError("KVO_FUZZ_READER is \"\(name)\", and must be one of \(names)")
    }
    return reader
  }()
}
