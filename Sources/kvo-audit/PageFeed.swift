import ArgumentParser
import Glibc
import KVOAudit
import KVOReports
import KVOSystem

/// Passes the pages of a watched log to `kvo-audit-serve`, which serves them to a browser.
///
/// That is a separate program, so that other runs of this one do not load the server. It ends when
/// its standard input does, even if this process is killed. Not synchronized.
final class PageFeed {
  /// The address of the page.
  let address: String

  private let server: PipedProgram
  private let showsSuppressed: Bool
  /// Distinguishes the pages of different runs, even if they have the same number.
  private let run = UInt32.random(in: .min ... .max)
  private var pageCount = 0
  private var last: [UInt8] = []

  private static let fileName = "kvo-audit-serve"

  /// Starts serving, and returns when a browser can connect.
  ///
  /// - Parameters:
  ///   - port: the port on loopback; 0: any free port.
  ///   - showsSuppressed: whether pages have suppressed findings.
  /// - Throws: ``ExitStatus/unavailable`` if that is not possible, after printing the error.
  init(port: UInt16, showsSuppressed: Bool) throws {
    guard let path = Self.path else {
      StandardStreams.complain(
        "kvo-audit: --serve needs \(Self.fileName), which is neither beside this program nor in its "
          + "../libexec; `swift build --product \(Self.fileName)` makes it"
      )
      throw ExitStatus.unavailable
    }
    self.showsSuppressed = showsSuppressed
    do throws(PipedProgram.Failure) {
      server = try PipedProgram(path, [String(port)], losesErrors: false)
    } catch {
      StandardStreams.complain("kvo-audit: \(path): \(error)")
      throw ExitStatus.unavailable
    }
    var line: [UInt8] = []
    while line.last != 0x0a {
      let part = server.nextOutput()
      // It has printed the error.
      if part.isEmpty { throw ExitStatus.unavailable }
      line += part
    }
    address = String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// Shows `report`, if it looks different from the previous one; returns false if the server has
  /// ended.
  func show(_ report: AuditReport) -> Bool {
    let plain = HTMLReportRenderer(showsSuppressed: showsSuppressed, liveState: "").render(report)
    if plain == last { return server.isRunning }
    last = plain
    pageCount += 1
    let state = "\(run)-\(pageCount)"
    let page = HTMLReportRenderer(showsSuppressed: showsSuppressed, liveState: state).render(report)
    let head = Array("\(state) \(page.count)\n".utf8)
    return StandardStreams.write(head + page, to: server.input) == 0
  }

  /// The server program: beside this one, or in the folder of `make install`.
  private static var path: String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0 else { return nil }
    let own = String(decoding: bytes[..<count], as: UTF8.self)
    let folder = own.split(separator: "/").dropLast().map { "/\($0)" }
    let folders = [folder[...], folder.dropLast() + ["/libexec"]]
    return folders.map { "\($0.joined())/\(fileName)" }.first { access($0, X_OK) == 0 }
  }
}
