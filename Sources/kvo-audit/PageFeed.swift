import ArgumentParser
import Foundation
import KVOAudit
import KVOReports

/// Passes the pages of a watched log to `kvo-audit-serve`, which serves them to a browser.
///
/// That is a separate program, so that other runs of this one do not load the server. It ends when
/// its standard input does, even if this process is killed. Not synchronized.
final class PageFeed {
  /// The address of the page.
  let address: String

  private let server = Process()
  private let input: FileHandle
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
    let (pages, answers) = (Pipe(), Pipe())
    server.executableURL = path
    server.arguments = [String(port)]
    server.standardInput = pages
    server.standardOutput = answers
    input = pages.fileHandleForWriting
    self.showsSuppressed = showsSuppressed
    do {
      try server.run()
    } catch {
      StandardStreams.complain("kvo-audit: \(path.path): \(error.localizedDescription)")
      throw ExitStatus.unavailable
    }
    var line = Data()
    while line.last != 0x0a {
      let part = answers.fileHandleForReading.availableData
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
    return StandardStreams.write(head + page, to: input.fileDescriptor) == 0
  }

  /// The server program: beside this one, or in the folder of `make install`.
  private static var path: URL? {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let folders = [own, own.deletingLastPathComponent().appending(path: "libexec")]
    return folders.map { $0.appending(path: fileName) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
