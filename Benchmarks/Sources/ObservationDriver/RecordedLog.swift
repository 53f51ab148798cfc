import BenchmarkDriver
import Glibc
import KVOSafety

/// Records into the folder of the run.
///
/// - Parameters:
///   - run: names the folder.
///   - hasRoom: false: the log is at the limit of its size, and every event is lost.
func record(in run: MeasuredRun, hasRoom: Bool = true) {
  do {
    try KVO.startRecording(to: "\(run.scratch)/observation.kvolog", byteLimit: 1 << 28)
  } catch {
    MeasuredRun.fail("\(error)")
  }
  if !hasRoom { fillLog() }
}

/// Keeps files from growing, and uses the room up that the log has.
private func fillLog() {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  // Less than the log has already, and enough for what the driver prints, perhaps into a file.
  limit.rlim_cur = 1 << 16
  guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
    MeasuredRun.fail("cannot limit the size of files: \(String(cString: strerror(errno)))")
  }
  let model = Model()
  let token = model.observe(\.value) { _, _ in }
  // A set takes some 50 bytes, and there are 64 KiB to some hundreds of them.
  for value in 0..<50_000 { set(model, value) }
  token.invalidate()
}
