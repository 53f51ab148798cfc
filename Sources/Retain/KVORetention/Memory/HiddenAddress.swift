/// An address that is kept as its complement.
///
/// What a search knows is in the memory that it searches, and must not look like references of the program's.
struct HiddenAddress: Hashable, BitwiseCopyable {
  private let complement: UInt

  init(_ address: UInt) { complement = ~address }

  var address: UInt { ~complement }
}
