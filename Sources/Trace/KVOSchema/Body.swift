/// The fields of one or several kinds of events.
package struct Body: Sendable {
  /// Its name in functions and variables.
  package var name: String
  /// The Swift structure that holds them; nil: the case of `Event.Body` holds each of them.
  package var type: String?
  /// In the order of a canonical line.
  package var fields: [Field]
  /// How many of the fields of every record precede the shape in the binary form; meaningless without a shape.
  package var shapeIndex: Int
  package var frequency: Frequency

  package init(
    _ name: String,
    _ type: String? = nil,
    shapeIndex: Int = 0,
    frequency: Frequency = .low,
    fields: [Field]
  ) {
    self.name = name
    self.type = type
    self.fields = fields
    self.shapeIndex = shapeIndex
    self.frequency = frequency
  }
}

/// How frequent something is in logs; readers inline the code of frequent items.
package enum Frequency: Int, Sendable {
  case low
  /// The reader of the binary form decodes it inline.
  case medium
  /// So does the reader of lines.
  case high
}

/// One kind of event.
package struct EventKind: Sendable {
  /// Its spelling in the log.
  package var name: String
  /// Its number in the binary form.
  package var number: Int
  /// The case of `Event.Body`.
  package var caseName: String
  package var body: Body
  package var frequency: Frequency

  package init(
    _ number: Int,
    _ name: String,
    caseName: String? = nil,
    _ body: Body,
    _ frequency: Frequency = .low
  ) {
    self.name = name
    self.number = number
    self.caseName = caseName ?? name
    self.body = body
    self.frequency = frequency
  }
}
