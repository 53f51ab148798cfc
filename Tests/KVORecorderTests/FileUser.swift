import Foundation

/// Whom the calling thread is for the file system.
enum FileUser {
  static func become(_ user: UInt32) {
    typealias Function = @convention(c) (UInt32) -> Int32
    // The module map of the C library leaves this function out.
    guard let symbol = dlsym(nil, "setfsuid") else { return }
    _ = unsafeBitCast(symbol, to: Function.self)(user)
  }
}
