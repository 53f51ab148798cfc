import ArgumentParser
import KVOAudit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `kvo-audit control`: starts, stops and keeps the recording of a running process, and says how it is.
struct ControlCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "control",
    abstract: "Start, stop or keep the recording of a running process, or say how it is.",
    discussion: """
      The process must have been started with KVO_SAFETY_CONTROL=1 and observe in Swift. It then \
      listens in /tmp/kvo-safety-UID, a folder of its user that no one else may enter, or in the \
      folder that the variable names, which --folder then names, too. Processes of the same user \
      and of root are answered.

        start LOG      begins a log, with the KVO_SAFETY_LOG_LIMIT, KVO_SAFETY_KEEP and
                       KVO_SAFETY_BUDGET of the process
        stop           ends the log
        keep [REASON]  keeps a flight recording up to now, and prints its path
        status         prints what is recorded, what it costs, and the live registrations by line

      Exit status: 0 done, 64 wrong usage, 65 the process cannot be reached or refuses.

      EXAMPLES
        kvo-audit control 4711 status
        kvo-audit control 4711 start logs/
        kvo-audit control 4711 keep "the list is empty"
        kvo-audit control 4711 stop
      """
  )

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case start, stop, keep, status
  }

  @Argument(help: ArgumentHelp("The process.", valueName: "pid"))
  var process: Int32

  @Argument(help: "What it does: start, stop, keep or status.")
  var action: Action

  @Argument(help: ArgumentHelp("The log to start, or the reason to keep.", valueName: "text"))
  var text: String?

  @Option(help: ArgumentHelp("The folder that KVO_SAFETY_CONTROL names.", valueName: "path"))
  var folder: String?

  func validate() throws {
    guard process > 0 else { throw ValidationError("A process id is above 0.") }
    switch action {
    case .start where text?.isEmpty ?? true: throw ValidationError("Name the log to start.")
    case .stop where text != nil, .status where text != nil:
      throw ValidationError("\"\(action.rawValue)\" takes nothing after it.")
    default: break
    }
    if let text, text.contains(where: \.isNewline) {
      throw ValidationError("A path or a reason is one line.")
    }
  }

  func run() throws {
    var request = action.rawValue
    // The process may have another working directory.
    if let text { request += " " + (action == .start ? absolute(text) : text) }
    let answer: String
    do throws(InputFailure) {
      answer = try ControlClient(process: process, folder: folder).answer(to: request)
    } catch {
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unreadable
    }
    // The names in it are those of the process, which may be another user's.
    try StandardStreams.deliver(Array(StandardStreams.escapedLines(answer).utf8))
  }

  private func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let start = getcwd(nil, 0) else { return path }
    defer { free(start) }
    return String(cString: start) + "/" + path
  }
}
