import Glibc
import KVORecorder

/// Records in turn with its own copy of the recorder, and with that of a library that was loaded first.
enum CopyProbe {
  static func run(path: String) throws {
    try Recorder.shared.startLog(path: path, isComplete: true, live: { [] })
    guard let symbol = dlsym(nil, "copy_record") else {
      print("no copy")
      return
    }
    typealias Function = @convention(c) (UInt64) -> Void
    let other = unsafeBitCast(symbol, to: Function.self)
    for thread in 0..<2 as Range<UInt64> {
      ProbeThread {
        for number in 1...5_000 as ClosedRange<UInt64> {
          let id = thread * 1_000_000 + number
          if number % 2 == 0 { other(id) } else { RecordedSequence.plain(id) }
        }
      }.join()
    }
    print("done")
  }
}
