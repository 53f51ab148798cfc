#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Calls the system again for as long as a signal interrupts the call.
///
/// A file of a network or user-space file system can be interrupted even where one on a disk cannot.
///
/// - Parameter call: returns a negative number, and sets `errno`, if it fails. Not `close`, which has closed its file
///   even then.
/// - Returns: what the last call returned.
package func repeatingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
