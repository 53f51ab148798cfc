/// One key of an event.
package struct Field: Sendable {
  /// Its spelling in the log.
  package var key: String
  package var type: FieldType
  package var presence: Presence
  /// Its location in the binary form.
  package var slot: Slot
  /// The part that anonymizing replaces.
  package var role: Role
  /// The property or the variable that holds it in Swift.
  package var name: String
  /// The label in a case of `Event.Body`; nil: ``name``; empty: none.
  package var label: String?
  /// Whether its argument is the first one of the initializer, whatever its position in the line.
  package var isLeading: Bool
  /// The version of the format that added it.
  package var version: Int
  /// Its meaning, in one or a few sentences, which the documents print.
  package var meaning: String

  package init(
    _ key: String,
    _ type: FieldType,
    _ presence: Presence = .required,
    _ slot: Slot = .always,
    role: Role = .none,
    name: String? = nil,
    label: String? = nil,
    isLeading: Bool = false,
    since version: Int = 1,
    means meaning: String = ""
  ) {
    self.key = key
    self.type = type
    self.presence = presence
    self.slot = slot
    self.role = role
    self.name = name ?? key
    self.label = label
    self.isLeading = isLeading
    self.version = version
    self.meaning = meaning
  }
}

/// The content of a field.
package indirect enum FieldType: Sendable {
  case object
  /// The end of a reference: an object whose kind a line always has if it is known. The bit of the shape means that it
  /// is not known.
  case end(unsaidBit: Int)
  case objects
  /// A text that is interned.
  case string
  /// The same; a line may have a whole number instead.
  case stringOrNumber
  case strings
  /// The same, of key paths, whose parts are interned as well.
  case keyPaths
  /// A text that the event stores directly.
  case text
  /// An id of the Swift type.
  case identifier(String)
  /// The registration that a removal matched. A null in a line means that there is none, as do `nullBit` of the shape
  /// and the property `flag`.
  case match(nullBit: Int, flag: String)
  case choice(Choice)
  case flag
  /// A whole number of 64 bits.
  case number
  /// A whole number that Swift holds as an `Int`, and that is not negative.
  case count
  /// The version of the log's grammar.
  case schema
  /// A whole number of 32 bits.
  case short
  /// A whole number of 8 bits.
  case byte
  /// A whole number that may be negative.
  case signed
  case address
  /// The numbers of rules.
  case rules
  /// The context of an addition or a removal.
  case context
  /// The options of a registration.
  case options
  /// All fields of another body.
  case fields(of: Body)
}

/// The condition under which a line has a field.
package enum Presence: Sendable {
  case required
  /// Required in all events of the body except this one.
  case requiredExcept(in: String)
  /// Absent if it is nil, empty or ``StringID/none``.
  case optional
  /// If it is absent, it is this Swift expression. `isWritten`: the writer never omits it.
  case defaults(to: String, shown: String?, isWritten: Bool)

  /// If it is absent, it is this Swift expression, which the documentation prints as `shown`.
  package static func defaults(
    _ expression: String,
    shown: String? = nil,
    isWritten: Bool
  ) -> Presence {
    .defaults(to: expression, shown: shown, isWritten: isWritten)
  }
}

/// The location of a field in the binary form.
package enum Slot: Sendable {
  /// In every record, in the order of the fields.
  case always
  /// The bit of the shape tells whether it follows. Such fields are in the order of their bits; `after` names a bit
  /// that it comes after instead.
  case bit(Int, after: Int? = nil)
  /// In the shape itself, from this bit on.
  case shape(Int)
}

/// The role of a field's text, which determines what `kvo-audit anonymize` replaces: a case of `NameRole`.
package enum Role: String, Sendable {
  /// There is no text in it.
  case none
  case name, code, image, prose, opaque, buildID
  /// Prose, unless it consists only of the characters of a date.
  case moment
}
