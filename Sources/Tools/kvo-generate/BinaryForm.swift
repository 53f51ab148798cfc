import KVOSchema

/// How the binary form has the fields of a body.
extension Body {
  /// What a record has: fields, and the shape at one position.
  enum Piece {
    case shape
    case field(Field)
  }

  var hasShape: Bool { fields.contains { $0.shapeBits > 0 } }

  /// The bits of the shape that mean something.
  var shapeMask: Int { fields.reduce(0) { $0 | $1.shapeMask } }

  /// The pieces of a record in their order.
  var pieces: [Piece] {
    let plain = fields.filter { if case .always = $0.slot { true } else { false } }
    let rest = fields.filter { $0.sequence != nil }.sorted {
      ($0.sequence ?? 0) < ($1.sequence ?? 0)
    }
    var pieces = (plain + rest).map(Piece.field)
    if hasShape { pieces.insert(.shape, at: shapeIndex) }
    return pieces
  }

  /// Fails if two fields claim one bit.
  func validate() {
    var used = 0
    for field in fields {
      precondition(used & field.shapeMask == 0, "\(name).\(field.key): its bit is another's")
      used |= field.shapeMask
    }
  }
}

extension Field {
  /// How many bits of the shape the field has.
  var shapeBits: Int { shapeMask.nonzeroBitCount }

  fileprivate var shapeMask: Int {
    var mask = 0
    switch slot {
    case .always: break
    case .bit(let bit, _): mask = 1 << bit
    case .shape(let bit): mask = (1 << width - 1) << bit
    }
    switch type {
    case .match(let nullBit, _): mask |= 1 << nullBit
    case .end(let unsaidBit): mask |= 1 << unsaidBit
    default: break
    }
    return mask
  }

  /// How many bits its value has in a shape.
  var width: Int {
    switch type {
    case .flag: if case .optional = presence { 2 } else { 1 }
    case .context: 2
    case .options: Choice.options.count
    case .choice(let choice):
      Int.bitWidth - (choice.words.last?.number ?? 0).leadingZeroBitCount
    default: 1
    }
  }

  /// The mask of its value in a shape, before it is shifted.
  var widthMask: Int { 1 << width - 1 }

  /// What its value in a shape is shifted by.
  var shift: Int {
    switch slot {
    case .always: 0
    case .bit(let bit, _), .shape(let bit): bit
    }
  }

  /// By which the fields that follow only sometimes are sorted; nil: it never follows, or always.
  fileprivate var sequence: Double? {
    switch (slot, type) {
    case (.bit(let bit, let after), _): after.map { Double($0) + 0.5 } ?? Double(bit)
    case (.shape(let bit), .context): Double(bit)
    default: nil
    }
  }
}
