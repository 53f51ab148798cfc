/// Secret numbers of this process, for the hashes of tables that untrusted input fills.
///
/// They come from the seed of Swift's own hashes, so that `SWIFT_DETERMINISTIC_HASHING=1` gives every run the same tables, and
/// instructions can be counted.
package enum ProcessSeed {
  /// The seed with this number, the same each time.
  ///
  /// Complexity: O(1).
  package static func number(_ number: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(number)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}
