import Foundation
import Testing

/// A GNUstep that programs are built for: the distribution's, or a newer one that was built from its sources.
struct Runtime: CustomTestStringConvertible, Sendable {
  /// Those of a newer one, if `Scripts/newer-gnustep` installed it.
  let prefix: String?
  /// `ng` for libobjc2 and clang, `gcc` for GCC's runtime.
  let kind: String
  /// Of its Foundation.
  let version: String

  /// As the table of runtimes names it.
  var title: String { "GNUstep \(version) on \(kind == "ng" ? "libobjc2" : "GCC's libobjc")" }

  var testDescription: String { title }

  static let distributions = Runtime(prefix: nil, kind: "gcc", version: "1.28")

  /// Those that `KVO_SAFETY_NEWER_GNUSTEP` names, separated by colons.
  static let newer: [Runtime] = {
    let text = ProcessInfo.processInfo.environment["KVO_SAFETY_NEWER_GNUSTEP"] ?? ""
    return text.split(separator: ":").compactMap { prefix in
      let text = try? String(contentsOfFile: "\(prefix)/kind", encoding: .utf8)
      let words = text?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
      guard words.count == 2 else {
        Issue.record("KVO_SAFETY_NEWER_GNUSTEP names \"\(prefix)\", which has no GNUstep of ours")
        return nil
      }
      return Runtime(prefix: String(prefix), kind: words[0], version: words[1])
    }
  }()

  static let whyNot: Comment =
    "KVO_SAFETY_NEWER_GNUSTEP names no prefix of Scripts/newer-gnustep"

  /// What compiles for it, and what says how.
  var compiler: String { kind == "ng" ? "clang" : "gcc" }
  var configuration: String { prefix.map { "\($0)/bin/gnustep-config" } ?? "gnustep-config" }

  /// What its programs are linked with beside its own libraries, so that they find them.
  var linking: [String] { prefix.map { ["-Wl,-rpath,\($0)/lib"] } ?? [] }
}
