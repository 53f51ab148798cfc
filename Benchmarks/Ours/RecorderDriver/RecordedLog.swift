import BenchmarkDriver
import CKVORecorder
import Glibc
import KVORecorder

/// The log that a measurement records into, in the scratch folder.
struct RecordedLog {
  private let path: String
  private let populatedByteCount: Int

  /// Starts the log.
  ///
  /// - Parameters:
  ///   - run: says how many events there will be.
  ///   - populatedByteCountPerEvent: how much room ``populate()`` makes for each.
  init(_ run: MeasuredRun, populatedByteCountPerEvent: Int) {
    // Without links, as the kernel names it in the list of mappings.
    guard let folder = realpath(run.scratch, nil) else {
      MeasuredRun.fail("no folder \(run.scratch)")
    }
    defer { free(folder) }
    path = String(cString: folder) + "/ours.kvolog"
    // Beside the events: the header, the tables, and a segment of each thread that it does not fill.
    populatedByteCount = (1 << 20) + run.operationCount * populatedByteCountPerEvent
    do {
      // One part holds it all, a quarter of the limit.
      try Recorder.shared.startLog(
        path: path,
        byteLimit: max(Recorder.defaultByteLimit, populatedByteCount * 4),
        isComplete: true,
        live: { [] }
      )
    } catch {
      MeasuredRun.fail("\(error)")
    }
    // The first capture of a thread opens libunwind and is a hundred times as slow.
    _ = Recorder.shared.captureStack()
  }

  /// Makes the pages of the log before they are needed, as those of the lower bound are.
  ///
  /// What the recorder does by itself, from a thread of its own and some pages ahead, is done for the
  /// whole file at once; the recorder knows nothing of it.
  func populate() {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0, posix_fallocate(file, 0, off_t(populatedByteCount)) == 0 else {
      MeasuredRun.fail("cannot make \(path) longer")
    }
    close(file)
    let code = madvise(mapping(), populatedByteCount, Self.populateForWriting)
    guard code == 0 else {
      MeasuredRun.fail("cannot populate the log: \(String(cString: strerror(errno)))")
    }
  }

  /// Ends the log, and the program where it does not have every event: a lost one is cheap.
  func end() {
    let isWritten = kvos_is_recording()
    let part = kvos_part_number()
    Recorder.shared.stopLog()
    let lost = kvos_lost_count()
    guard isWritten, part == 1, lost == 0 else {
      MeasuredRun.fail("the log ended early or lost events: \(lost) of them, in part \(part)")
    }
  }

  /// `MADV_POPULATE_WRITE`, of Linux 5.14.
  private static let populateForWriting: Int32 = 23

  /// Where the log is mapped.
  private func mapping() -> UnsafeMutableRawPointer {
    guard let list = fopen("/proc/self/maps", "r") else { MeasuredRun.fail("no list of mappings") }
    defer { fclose(list) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, list) > 0 {
      guard let text = line.map({ String(cString: $0) }), text.hasSuffix(" \(path)\n"),
        let start = UInt(text.prefix { $0 != "-" }, radix: 16),
        let address = UnsafeMutableRawPointer(bitPattern: start)
      else { continue }
      return address
    }
    MeasuredRun.fail("\(path) is not mapped")
  }
}
