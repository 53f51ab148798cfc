import KVORules
import Testing

/// Every kind of fault in the forms that texts have, and as many texts that only look like one.
@Suite("Texts of every form") struct FormTests {
  @Test("a removal of what is not registered is found", arguments: RemovalForms.faults)
  func removal(sample: Sample) { #expect(Reading.summary(sample.text) == sample.says) }

  @Test("what looks like such a removal stays silent", arguments: RemovalForms.lookAlikes)
  func noRemoval(sample: Sample) { #expect(Reading.summary(sample.text) == []) }
}
