import BenchmarkDriver
import Glibc
import KVOSafety

/// Records into the folder of the run.
///
/// - Parameters:
///   - run: has the folder.
///   - hasRoom: false: the log is at its size limit, and every event is lost.
func record(in run: MeasuredRun, hasRoom: Bool = true) {
  do {
    try KVO.startRecording(to: "\(run.scratch)/observation.kvolog", byteLimit: 1 << 28)
  } catch {
    MeasuredRun.fail("\(error)")
  }
  if !hasRoom { fillLog() }
}

/// Prevents files from growing, and fills the log.
private func fillLog() {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  // Less than the current size of the log, and enough for the driver's output, which may go to a
  // file.
  limit.rlim_cur = 1 << 16
  guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
    MeasuredRun.fail("cannot limit the size of files: \(String(cString: strerror(errno)))")
  }
  let model = Model()
  let token = model.observe(\.value) { _, _ in }
  // A set takes about 50 bytes, and there are 64 KiB for several hundred of them.
  for value in 0..<50_000 { set(model, value) }
  token.invalidate()
}
