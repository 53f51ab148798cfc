/// The strings and stacks of one log, each stored once and named by a small number.
///
/// Events carry ``StringID`` and ``StackID`` only, so that a replay compares words and its memory
/// does not grow with the number of events. Ids are never reused or removed.
///
/// Not synchronised: whoever shares one between threads guards it with a lock.
package struct TraceNames: Sendable {
  private var strings: [String] = [""]
  private var stringIDs: [String: StringID] = ["": .none]
  private var stacks: [[Frame]] = [[]]
  private var stackIDs: [[Frame]: StackID] = [[]: .none]

  package init() {}

  /// The id of `string`, interned if it is new.
  ///
  /// Complexity: O(length).
  package mutating func id(of string: String) -> StringID {
    if let known = stringIDs[string] { return known }
    let id = StringID(rawValue: UInt32(strings.count))
    strings.append(string)
    stringIDs[string] = id
    return id
  }

  /// The id of `stack` (innermost frame first), interned if it is new.
  ///
  /// Complexity: O(frames).
  package mutating func id(of stack: [Frame]) -> StackID {
    if let known = stackIDs[stack] { return known }
    let id = StackID(rawValue: UInt32(stacks.count))
    stacks.append(stack)
    stackIDs[stack] = id
    return id
  }

  /// How many strings have an id, the empty one not counted: ids run from 1 to this.
  package var stringCount: Int { strings.count - 1 }

  /// How many stacks have an id, the empty one not counted.
  package var stackCount: Int { stacks.count - 1 }

  /// Gives the next id to `string`, which another table of the same ids has told apart from all
  /// before it.
  package mutating func append(_ string: String) {
    let id = StringID(rawValue: UInt32(strings.count))
    strings.append(string)
    if stringIDs[string] == nil { stringIDs[string] = id }
  }

  /// Gives the next id to `stack`.
  package mutating func append(_ stack: [Frame]) {
    let id = StackID(rawValue: UInt32(stacks.count))
    stacks.append(stack)
    if stackIDs[stack] == nil { stackIDs[stack] = id }
  }

  /// The string behind `id`; an id of another table is a programmer's mistake and traps.
  package subscript(id: StringID) -> String { strings[Int(id.rawValue)] }

  /// The frames behind `id`, innermost first; an id of another table traps.
  package subscript(id: StackID) -> [Frame] { stacks[Int(id.rawValue)] }

  /// The identifier spelled `text`: a decimal number stands for itself, other text is interned.
  ///
  /// A number with a leading zero or a sign, or of 2^62 and above, counts as text, so that the
  /// spelling always comes back as it was.
  package mutating func identifier<Tag>(_ text: String) -> Identifier<Tag> {
    if let number = UInt64(text), number >> 62 == 0, String(number) == text {
      return Identifier(number)
    }
    return Identifier(named: id(of: text))
  }

  /// How the log spelled `identifier`.
  package func text<Tag>(of identifier: Identifier<Tag>) -> String {
    if let number = identifier.number { return String(number) }
    return identifier.name.map { self[$0] } ?? ""
  }
}
