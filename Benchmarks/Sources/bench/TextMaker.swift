import Foundation

/// Writes the texts to measure: a long console, and the reports of many crashes.
enum TextMaker {
  /// Typical console lines without any fault, of about `byteCount` bytes.
  static func console(_ path: String, byteCount: Int) throws {
    let subsystems = ["network", "layout", "sync", "store", "media", "push"]
    var block = ""
    for number in 0..<4_000 {
      let part = subsystems[number % subsystems.count]
      block +=
        "2026-11-03 10:\(10 + number % 50):12.131415+0100 Gauges[18119:\(260_000 + number)] [\(part)] "
        + "request \(number * 7_919 % 100_003) finished with status \(200 + number % 5) "
        + "in \(number % 977) ms, cache \(number.isMultiple(of: 3) ? "hit" : "miss")\n"
    }
    let bytes = Data(block.utf8)
    // In pieces: the peak memory of a child is at least the memory of its parent when it starts.
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    for _ in 0..<(byteCount + bytes.count - 1) / bytes.count { try file.write(contentsOf: bytes) }
  }

  /// Crash reports of about 100 kB each, `count` of them in `groups` kinds; returns their paths.
  static func reports(_ folder: URL, count: Int, groups: Int) throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Marks in the template are replaced by what differs between the reports of a group.
    let templates = try (0..<groups).map { try template(group: $0).split(separator: mark) }
    return try (0..<count).map { number in
      let digits = String(number + 1_048_576, radix: 16)
      let text = templates[number % groups].map { String(decoding: $0, as: UTF8.self) }
        .joined(separator: digits)
      let file = folder.appending(path: "crash-\(number).ips")
      try Data(text.utf8).write(to: file)
      return file.path
    }
  }

  private static let mark = UInt8(ascii: "@")

  private static func template(group: Int) throws -> Data {
    let images = (0..<260).map { image -> [String: Any] in
      let kit = "Kit\(image)"
      let base: Int = 6_442_450_944 + image * 1_048_576
      let uuid = String(format: "%08x", image) + "-0000-4000-8000-@"
      return [
        "source": "S", "arch": "arm64e", "base": base, "size": 999_424, "uuid": uuid,
        "path": "/System/Library/PrivateFrameworks/\(kit).framework/\(kit)",
        "name": image == 0 ? "Gauges" : image == 1 ? "Foundation" : kit,
      ]
    }
    func frames(_ count: Int, _ seed: Int) -> [[String: Any]] {
      (0..<count).map { index -> [String: Any] in
        [
          "imageOffset": seed * 4_096 + index, "symbol": "-[KitObject\(seed) method\(index):with:]",
          "symbolLocation": 40, "imageIndex": 2 + (seed + index) % 200,
        ]
      }
    }
    func frame(_ symbol: String, _ image: Int) -> [String: Any] {
      ["imageOffset": 400, "symbol": symbol, "symbolLocation": 12, "imageIndex": image]
    }
    let reason =
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an "
      + "observer <Screen\(group) 0x1@> for the key path \"level\" from "
      + "<Meter 0x2@> because it is not registered as an observer.'"
    let document: [String: Any] = [
      "procName": "Gauges", "incident": "@", "captureTime": "2026-10-02 08:15:30.1234 +0200",
      "osVersion": ["train": "iPhone OS \(15 + group % 4).1"],
      "exception": ["type": "EXC_CRASH", "signal": "SIGABRT"], "asi": ["CoreFoundation": [reason]],
      "lastExceptionBacktrace": [
        frame("__exceptionPreprocess", 3), frame("objc_exception_throw", 4),
        frame("-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]", 1),
        frame("-[Screen\(group) dealloc]", 0),
      ] + frames(30, 7),
      "faultingThread": 0,
      "threads": (0..<18).map { ["id": $0, "frames": frames(20, $0)] as [String: Any] },
      "usedImages": images,
    ]
    let head: [String: Any] = [
      "app_name": "Gauges", "bug_type": "309", "app_version": "2.\(group % 9)",
    ]
    return try JSONSerialization.data(withJSONObject: head) + Data("\n".utf8)
      + JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted])
  }
}
