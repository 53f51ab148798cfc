internal import KVORetainRegistry

/// The classes whose references another target of this package describes better than their
/// metadata.
struct KnownClasses {
  /// The target's description of them.
  let source: any RetainKnowledge
  private let classes: [NominalDescriptor: RetainKnownClass]

  init(_ source: any RetainKnowledge) {
    self.source = source
    classes = Dictionary(
      source.classes.compactMap { known in
        TypeMetadata(known.type).nominal.map { ($0.descriptor, known) }
      }
    ) { first, _ in first }
  }

  /// The description of a class, independent of its generic arguments.
  subscript(descriptor: NominalDescriptor) -> RetainKnownClass? { classes[descriptor] }
}
