import Foundation
import TestSupport
import Testing

@testable import kvo_audit

/// The key of an anonymization, which several processes may create at the same time.
@Suite("A file with a secret") struct SecretFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func content(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.url.appending(path: name)))
  }

  @Test("is created once, for its owner alone, and stays")
  func once() throws {
    #expect(try OutputFile.createSecret([1, 2], at: folder.path("key")))
    #expect(try !OutputFile.createSecret([3, 4], at: folder.path("key")))
    #expect(try content("key") == [1, 2])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("key"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try folder.names == ["key"])
  }

  @Test("is created where a link leads")
  func link() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"),
      withDestinationPath: "key"
    )
    #expect(try OutputFile.createSecret([1, 2], at: folder.path("link")))
    #expect(try !OutputFile.createSecret([3, 4], at: folder.path("link")))
    #expect(try content("key") == [1, 2])
    #expect(try folder.names == ["key", "link"])
  }
}
