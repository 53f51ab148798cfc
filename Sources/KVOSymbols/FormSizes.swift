import CElfutils

/// How many bytes the values of attributes take.
struct FormSizes {
  let version: Int
  /// 4 or 8.
  let addressByteCount: Int
  /// The size of an offset into another section: 4, or 8 in the 64-bit format.
  let offsetByteCount: Int

  /// The size of a value of the given form, or nil where the value itself says it.
  func byteCount(of form: UInt64) -> Int? {
    switch Int(truncatingIfNeeded: form) {
    case Int(DW_FORM_flag_present), Int(DW_FORM_implicit_const): 0
    case Int(DW_FORM_data1), Int(DW_FORM_ref1), Int(DW_FORM_flag), Int(DW_FORM_strx1),
      Int(DW_FORM_addrx1):
      1
    case Int(DW_FORM_data2), Int(DW_FORM_ref2), Int(DW_FORM_strx2), Int(DW_FORM_addrx2): 2
    case Int(DW_FORM_strx3), Int(DW_FORM_addrx3): 3
    case Int(DW_FORM_data4), Int(DW_FORM_ref4), Int(DW_FORM_ref_sup4), Int(DW_FORM_strx4),
      Int(DW_FORM_addrx4):
      4
    case Int(DW_FORM_data8), Int(DW_FORM_ref8), Int(DW_FORM_ref_sig8), Int(DW_FORM_ref_sup8): 8
    case Int(DW_FORM_data16): 16
    case Int(DW_FORM_addr): addressByteCount
    case Int(DW_FORM_ref_addr): version <= 2 ? addressByteCount : offsetByteCount
    case Int(DW_FORM_strp), Int(DW_FORM_line_strp), Int(DW_FORM_strp_sup),
      Int(DW_FORM_sec_offset), Int(DW_FORM_GNU_ref_alt), Int(DW_FORM_GNU_strp_alt):
      offsetByteCount
    default: nil
    }
  }

  /// Passes over a value; gives up on a form that no version of DWARF has.
  func skip(_ form: UInt64, in reader: inout ByteReader) {
    if let count = byteCount(of: form) { return reader.skip(UInt64(count)) }
    switch Int(truncatingIfNeeded: form) {
    case Int(DW_FORM_block1): reader.skip(UInt64(reader.number(UInt8.self)))
    case Int(DW_FORM_block2): reader.skip(UInt64(reader.number(UInt16.self)))
    case Int(DW_FORM_block4): reader.skip(UInt64(reader.number(UInt32.self)))
    case Int(DW_FORM_block), Int(DW_FORM_exprloc): reader.skip(reader.unsigned())
    case Int(DW_FORM_string): _ = reader.text()
    case Int(DW_FORM_sdata), Int(DW_FORM_udata), Int(DW_FORM_ref_udata), Int(DW_FORM_strx),
      Int(DW_FORM_addrx), Int(DW_FORM_loclistx), Int(DW_FORM_rnglistx),
      Int(DW_FORM_GNU_addr_index), Int(DW_FORM_GNU_str_index):
      _ = reader.unsigned()
    case Int(DW_FORM_indirect):
      let actual = reader.unsigned()
      // One that points to itself would never end.
      actual == UInt64(DW_FORM_indirect) ? reader.skip(.max) : skip(actual, in: &reader)
    default: reader.skip(.max)
    }
  }
}
