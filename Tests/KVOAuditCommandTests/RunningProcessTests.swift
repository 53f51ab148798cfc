import Foundation
import TestSupport
import Testing

@testable import kvo_audit

@Suite("A process that is asked") struct RunningProcessTests {
  @Test("is not waited for without end if it accepts no connection")
  func full() throws {
    let folder = try ScratchFolder()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = folder.path("socket")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    let isBound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(isBound == 0 && listen(listener, 0) == 0)
    var connections: [Int32] = []
    defer { for connection in connections { close(connection) } }
    // More than a listener that accepts none may keep.
    for _ in 0..<8 {
      let connection = RunningProcess.connection(to: address, limit: .milliseconds(10))
      guard connection.error == 0 else {
        #expect(connection.error == EAGAIN)
        return
      }
      connections.append(connection.descriptor)
    }
    Issue.record("the listener keeps all connections")
  }
}
