internal import KVORetainRegistry

/// The classes that a room of this package knows better than their own metadata says.
struct KnownClasses {
  /// Who knows of them.
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

  /// What is known of a class, whatever its generic arguments.
  subscript(descriptor: NominalDescriptor) -> RetainKnownClass? { classes[descriptor] }
}
