/// An address that is stored as its complement.
///
/// The data of a search are in the memory that it searches, and must not look like the program's
/// references.
struct HiddenAddress: Hashable, BitwiseCopyable {
  private let complement: UInt

  init(_ address: UInt) { complement = ~address }

  var address: UInt { ~complement }
}
