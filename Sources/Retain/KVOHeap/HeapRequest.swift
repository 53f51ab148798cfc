/// How `kvo-audit heap --pid` asks a process for a snapshot.
///
///     kvo-audit ── connects to the socket of the process, and sends `message` ──▶ process
///     kvo-audit ◀── the bytes of a snapshot, or `refusal` and a reason, and the end ── process
///
/// The socket is in Linux's abstract namespace: it has no file, and disappears with the process.
/// Each side checks whose process the other one is.
package enum HeapRequest {
  /// The address of the socket, without the zero that it begins with.
  ///
  /// - Parameter processID: the process as it knows itself, in its own namespace.
  /// - Returns: a name of fewer than 40 bytes.
  package static func socketName(processID: Int32) -> String { "kvo-safety-heap-\(processID)" }

  package static let message = Array("snapshot\n".utf8)

  /// The first bytes of an answer without a snapshot.
  package static let refusal = Array("refused: ".utf8)

  /// The seconds after which a process has answered: its own limit is shorter.
  package static let secondLimit = 60
}
