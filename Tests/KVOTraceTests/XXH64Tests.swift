import KVOTrace
import KVOTraceBinary
import Testing

@Suite("XXH64") struct XXH64Tests {
  /// The bytes that xxHash's own sanity check hashes.
  private static func sanityBytes(_ count: Int) -> [UInt8] {
    var state: UInt64 = 2_654_435_761
    return (0..<count).map { _ in
      defer { state = state &* 11_400_714_785_074_694_797 }
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  @Test(
    "has the published values",
    arguments: [
      (0, 0, 0xef46_db37_51d8_e999), (0, 2_654_435_761, 0xac75_fda2_929b_17ef),
      (1, 0, 0xe934_a84a_db05_2768), (1, 2_654_435_761, 0x5014_6076_43a9_b4c3),
      (4, 0, 0x9136_a0dc_a574_57ee), (14, 0, 0x8282_dcc4_994e_35c8),
      (14, 2_654_435_761, 0xc3bd_6bf6_3deb_6df0), (222, 0, 0xb641_ae8c_b691_c174),
      (222, 2_654_435_761, 0x20cb_8ab7_ae10_c14a),
    ] as [(Int, UInt64, UInt64)]
  )
  func sanity(count: Int, seed: UInt64, expected: UInt64) {
    let hash = Self.sanityBytes(count).withUnsafeBytes { XXH64.hash($0, seed: seed) }
    #expect(hash == expected)
  }

  @Test(
    "has the known values of short texts",
    arguments: [
      ("a", 0xd24e_c4f1_a98c_6e5b), ("abc", 0x44bc_2cf5_ad77_0999),
      ("asdf", 0x4158_72f5_99ce_a71e),
    ] as [(String, UInt64)]
  )
  func texts(text: String, expected: UInt64) {
    #expect(Array(text.utf8).withUnsafeBytes { XXH64.hash($0) } == expected)
  }
}
