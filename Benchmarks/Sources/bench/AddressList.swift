import BenchmarkHarness

/// Addresses spread over the functions of an image.
struct AddressList {
  private let addresses: [UInt64]

  /// Chooses `count` addresses in the functions that `nm --print-size` lists; several addresses of
  /// a function if there are fewer functions.
  init(nm output: String, count: Int) throws {
    let functions = output.split(separator: "\n").compactMap { line -> (UInt64, UInt64)? in
      let fields = line.split(separator: " ")
      guard fields.count >= 4, fields[2] == "t" || fields[2] == "T",
        let start = UInt64(fields[0], radix: 16), let size = UInt64(fields[1], radix: 16), size > 0
      else { return nil }
      return (start, size)
    }
    guard !functions.isEmpty else { throw BenchmarkFailure("nm lists no functions") }
    addresses = (0..<count).map { number in
      let (start, size) = functions[number % functions.count]
      // The golden ratio spreads the offsets over a function without repetition.
      let share = Double(number / functions.count) * 0.618
      return start + UInt64(Double(size) * (share - share.rounded(.down)))
    }
  }

  /// One address a line, `0x…`.
  var text: String {
    addresses.map { "0x\(String($0, radix: 16))\n" }.joined()
  }
}
