import ArgumentParser
import Foundation
import KVOAudit
import KVOReports

/// The pages of a watched log, given to `kvo-audit-serve`, which shows them to a browser.
///
/// That is a separate program, so that nothing else of this one loads what serving needs. It ends when its
/// standard input does: even if this process is killed. Not synchronised.
final class PageFeed {
  /// Where the page is.
  let address: String

  private let server = Process()
  private let input: FileHandle
  private let showsSuppressed: Bool
  /// Pages of another run are others, even if they have the same number.
  private let run = UInt32.random(in: .min ... .max)
  private var pageCount = 0
  private var last: [UInt8] = []

  private static let fileName = "kvo-audit-serve"

  /// Begins to serve, and returns when a browser can ask.
  ///
  /// - Parameters:
  ///   - port: the port on loopback; 0: any that is free.
  ///   - showsSuppressed: whether pages have suppressed findings.
  /// - Throws: ``ExitStatus/unavailable`` if that cannot be; says why first.
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
      // It has said why.
      if part.isEmpty { throw ExitStatus.unavailable }
      line += part
    }
    address = String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// Shows `report`, if it looks different from the one before; false if the server has ended.
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

  /// The program that serves: beside this one, or where `make install` puts it.
  private static var path: URL? {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let folders = [own, own.deletingLastPathComponent().appending(path: "libexec")]
    return folders.map { $0.appending(path: fileName) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
