import Foundation
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

/// The image that this test code runs in: the program, or a bundle that a test runner loaded.
enum OwnImage {
  /// The image as a log would list it.
  static func module() throws -> Module {
    let handle = UInt64(UInt(bitPattern: #dsohandle))
    var starts: [String: UInt64] = [:]
    var path: String?
    for line in try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(
      separator: "\n"
    ) {
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6 else { continue }
      let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard bounds.count == 2 else { continue }
      let name = fields[5].trimmingCharacters(in: .whitespaces)
      // The first mapping of a file is the lowest one, and position-independent images start at 0.
      starts[name] = starts[name] ?? bounds[0]
      if bounds[0] <= handle, handle < bounds[1] { path = name }
    }
    let image = try #require(path)
    let bias = try #require(starts[image])
    return Module(
      path: image,
      buildID: try ElfFile(path: image).buildID,
      loadBias: bias,
      textStart: bias,
      textEnd: .max
    )
  }

  /// The same image, with addresses as they stand in the file.
  static func unloadedModule() throws -> Module {
    var module = try module()
    module.loadBias = 0
    return module
  }
}

/// The built kvo-audit: a large program in Swift, and a seventh of the bundle of all tests.
enum ToolImage {
  /// The image, with addresses as they stand in the file.
  static func unloadedModule() throws -> Module {
    let path = try ProgramRun.built("kvo-audit").path
    let buildID = try ElfFile(path: path).buildID
    return Module(path: path, buildID: buildID, loadBias: 0, textStart: 0, textEnd: .max)
  }
}
