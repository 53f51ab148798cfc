import BenchmarkDriver
import CKVORecorder
import Glibc
import KVORecorder

/// The log of a measurement, in the scratch folder.
struct RecordedLog {
  private let path: String
  private let populatedByteCount: Int

  /// Starts the log.
  ///
  /// - Parameters:
  ///   - run: has the number of events.
  ///   - populatedByteCountPerEvent: the number of bytes for each event that ``populate()``
  ///     prepares.
  init(_ run: MeasuredRun, populatedByteCountPerEvent: Int) {
    // Without symbolic links, as in the kernel's list of mappings.
    guard let folder = realpath(run.scratch, nil) else {
      MeasuredRun.fail("no folder \(run.scratch)")
    }
    defer { free(folder) }
    path = String(cString: folder) + "/ours.kvolog"
    // In addition to the events: the header, the tables, and a partly filled segment for each
    // thread.
    populatedByteCount = (1 << 20) + run.operationCount * populatedByteCountPerEvent
    do {
      // One log file holds it all, a quarter of the limit.
      try Recorder.shared.startLog(
        path: path,
        byteLimit: max(Recorder.defaultByteLimit, populatedByteCount * 4),
        isComplete: true,
        live: { [] }
      )
    } catch {
      MeasuredRun.fail("\(error)")
    }
    // The first capture of a thread loads libunwind and takes a hundred times as long.
    _ = Recorder.shared.captureStack()
  }

  /// Allocates the pages of the log before they are needed, as for the lower bound.
  ///
  /// The recorder does this itself, on its own thread and some pages ahead; here it is done for the
  /// whole file at once, without the recorder's knowledge.
  func populate() {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0, posix_fallocate(file, 0, off_t(populatedByteCount)) == 0 else {
      MeasuredRun.fail("cannot make \(path) longer")
    }
    close(file)
    // The recorder gives access to its pages a few ahead, too.
    let pages = mapping()
    guard mprotect(pages, populatedByteCount, PROT_READ | PROT_WRITE) == 0,
      madvise(pages, populatedByteCount, Self.populateForWriting) == 0
    else {
      MeasuredRun.fail("cannot populate the log: \(String(cString: strerror(errno)))")
    }
  }

  /// Ends the log, and exits the program if an event is missing: a lost event is cheap.
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

  /// The mapping of the log.
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
