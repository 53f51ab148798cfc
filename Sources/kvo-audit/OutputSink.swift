import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Takes the bytes of a report or a conversion, and remembers why they could not be written.
///
/// A file is made when the first bytes come: a log that is none leaves no empty file. It is put in place by
/// ``finish()``; without that, the file that was there stays. Not synchronised.
final class OutputSink {
  /// Why nothing more can be written, or nil.
  private var failure: String?
  private let path: String?
  private let permissions: mode_t?
  private var file: OutputReplacement?

  /// Makes a sink of a file, or of standard output.
  ///
  /// - Parameters:
  ///   - path: the file; nil: standard output.
  ///   - permissions: those of the file; nil: the usual ones.
  init(path: String?, permissions: mode_t? = nil) {
    StandardStreams.ignoreFileSizeSignal()
    self.path = path
    self.permissions = permissions
  }

  deinit { file?.discard() }

  /// Writes `bytes`; false if that failed.
  ///
  /// - Parameters:
  ///   - bytes: what comes next.
  ///   - isBinary: whether they are nothing for a terminal.
  /// - Returns: whether more can be written.
  @discardableResult
  func take(_ bytes: [UInt8], isBinary: Bool = false) -> Bool {
    guard failure == nil else { return false }
    guard let path else { return print(bytes, isBinary) }
    do throws(OutputReplacement.Failure) {
      let file =
        if let file { file } else { try OutputReplacement(of: path, permissions: permissions) }
      self.file = file
      let code = StandardStreams.write(bytes, to: file.descriptor)
      return code == 0 || fail(path, OutputReplacement.Failure(code: code))
    } catch {
      return fail(path, error)
    }
  }

  /// Puts the file in place.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if not all could be written; says why first.
  func finish() throws {
    if let file, let path {
      self.file = nil
      do throws(OutputReplacement.Failure) {
        if failure == nil { try file.finish() } else { file.discard() }
      } catch {
        _ = fail(path, error)
      }
    }
    guard let failure else { return }
    StandardStreams.complain("kvo-audit: \(failure)")
    throw ExitStatus.unwritable
  }

  private func print(_ bytes: [UInt8], _ isBinary: Bool) -> Bool {
    if isBinary, StandardStreams.isOutputATerminal {
      failure = "a binary log is not for a terminal; name a file with -o"
      return false
    }
    do throws(StandardStreams.Failure) {
      try StandardStreams.print(bytes)
      return true
    } catch {
      failure = error.description
      return false
    }
  }

  private func fail(_ path: String, _ error: OutputReplacement.Failure) -> Bool {
    failure = "\(path): cannot be written: \(error.reason)"
    return false
  }
}
