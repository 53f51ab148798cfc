import Glibc
import KVORecorder
import KVOTrace

/// Code that is loaded while the log is written.
enum LibraryProbe {
  struct Failure: Error { let why: String }

  /// Loads a library whose function calls a callback; an event is recorded in that.
  ///
  /// - Returns: the address of the function.
  static func record(path: String, function: String) throws -> String {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw Failure(why: String(cString: dlerror()))
    }
    guard let symbol = dlsym(library, function) else { throw Failure(why: "no \(function)") }
    typealias Function = @convention(c) (@convention(c) () -> Void) -> Void
    unsafeBitCast(symbol, to: Function.self)({ RecordedSequence.named(1, of: 1) })
    return String(UInt(bitPattern: symbol))
  }
}
