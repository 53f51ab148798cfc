private import CKVOChecksum

/// The checksum of binary logs, which is the recorder's own code.
///
/// It finds accidental damage; it is no protection against an attacker.
package enum XXH64 {
  /// The hash of `bytes`.
  ///
  /// Complexity: O(bytes), 32 bytes a step.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    kvos_checksum(bytes.baseAddress, UInt64(bytes.count), seed)
  }
}
