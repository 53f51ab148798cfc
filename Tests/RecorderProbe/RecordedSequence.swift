import Glibc
import KVORecorder
import KVOTrace

/// Numbered events that a reader can check: each says its own number in three ways.
enum RecordedSequence {
  /// Records the end of registration `number`, without a name or a stack.
  static func plain(_ number: UInt64) {
    Recorder.shared.record(.registerEnd(RegistrationID(number)))
  }

  /// Records a write whose text and stack no event had before, but for those that another thread records
  /// at the same time.
  static func named(_ number: UInt64, of thread: Int) {
    let recorder = Recorder.shared
    recorder.record(
      .write(
        subject: ObjectRef(id: ObjectID(number), className: recorder.id(of: "Thread\(thread)")),
        key: recorder.id(of: "balance"),
        fingerprint: recorder.id(of: "value \(number)")
      ),
      stack: stack(number)
    )
  }

  /// Registers number `number`, with a unique observer and key path.
  static func register(_ number: UInt64) {
    let recorder = Recorder.shared
    recorder.record(
      .register(
        Registration(
          id: RegistrationID(number),
          subject: ObjectRef(id: ObjectID(number), className: recorder.id(of: "Account")),
          observer: observer(number),
          keyPath: recorder.id(of: "path\(number)"),
          options: [.new]
        )
      ),
      order: 1,
      stack: stack(number)
    )
  }

  private static func observer(_ number: UInt64) -> ObjectRef {
    ObjectRef(id: ObjectID(number + 1_000_000), className: Recorder.shared.id(of: "Screen"))
  }

  /// Removes it.
  static func remove(_ number: UInt64) {
    let recorder = Recorder.shared
    recorder.record(
      .remove(
        Removal(
          subject: ObjectRef(id: ObjectID(number), className: recorder.id(of: "Account")),
          observer: observer(number),
          keyPath: recorder.id(of: "path\(number)"),
          registration: RegistrationID(number)
        )
      ),
      order: 2
    )
  }

  /// A stack that encodes `path` in its calls.
  @inline(never)
  static func stack(_ path: UInt64) -> StackID {
    guard path > 0 else { return Recorder.shared.captureStack() }
    // Two calls of one function, with different return addresses.
    var stack: StackID
    if path % 2 == 0 {
      stack = Self.stack(path / 2)
      withExtendedLifetime(path) {}
    } else {
      stack = Self.stack(path / 2)
    }
    withUnsafeMutablePointer(to: &stack) { _ in }
    return stack
  }
}
