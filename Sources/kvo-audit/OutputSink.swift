import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes the bytes of a report or a conversion, and remembers the error if they could not be
/// written.
///
/// The file is created when the first bytes arrive: an input that is not a log leaves no empty
/// file. ``finish()`` renames it; without that, the existing file stays. Not synchronized.
final class OutputSink {
  /// The reason why nothing more can be written, or nil.
  private var failure: String?
  private let path: String?
  private let permissions: mode_t?
  private var file: OutputReplacement?

  /// Creates a sink for a file, or for standard output.
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

  /// Writes `bytes`; returns false if that failed.
  ///
  /// - Parameters:
  ///   - bytes: the next bytes.
  ///   - isBinary: whether they must not be written to a terminal.
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

  /// Renames the file.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if not everything could be written, after printing the
  ///   error.
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
      failure = "a binary form is not for a terminal; name a file with -o"
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
