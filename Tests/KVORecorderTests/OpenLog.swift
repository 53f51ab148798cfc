import CKVORecorder
import Foundation
import Testing

@testable import KVORecorder

/// The files of a log, of which the newest is open as long as the value lives.
final class OpenLog {
  private let files: OpaquePointer
  private(set) var descriptor: Int32 = -1

  var path: String { String(cString: kvos_path_of_files(files)) }
  var keptProcess: Int64 { kvos_kept_process(files) }

  init(_ pattern: String) throws {
    files = try #require(kvos_new_files(pattern))
    try take(kvos_open_first(files, false))
  }

  func openNext() throws { try take(kvos_open_next(files)) }

  func placeNext(hasBegun: Bool) { kvos_place_next(files, hasBegun) }

  private func take(_ result: Int32) throws {
    guard result >= 0 else {
      let path = try #require(strdup(kvos_failed_path(files)))
      let failure = KVOSLogFailure(code: -result, kind: kvos_kind_of_file(path), path: path)
      throw LogFileError(failure, wanted: "")
    }
    if descriptor >= 0 { close(descriptor) }
    descriptor = result
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    kvos_free_files(files)
  }
}
