/// The strings and stacks of one log, each stored once and named by a small number.
///
/// Events carry ``StringID`` and ``StackID`` only, so that a replay compares words and its memory does not grow with
/// the number of events. Ids are dense, start at 1 and are never reused. A string is identified by its bytes: a
/// different spelling has a different id.
///
/// A value: a copy shares its storage until one of the two gets a new name. Not synchronized:
/// a caller that shares one between threads guards it with a lock.
package struct TraceNames: Sendable {
  private var texts = TextTable()
  private var stacks = StackTable()
  /// The strings that begin as the names of classes which runtimes make for observing, oldest first.
  package private(set) var notifyingClasses: [StringID] = []

  package init() {}

  /// How many strings have an id, the empty one not counted: ids run from 1 to this.
  package var stringCount: Int { Int(texts.lastID) }

  /// How many stacks have an id, the empty one not counted.
  package var stackCount: Int { Int(stacks.lastID) }

  // MARK: Strings

  /// The id of `string`, interned if it is new.
  ///
  /// Complexity: O(length).
  package mutating func id(of string: String) -> StringID {
    var string = string
    return string.withUTF8 { id(ofUTF8: UnsafeRawBufferPointer($0)) }
  }

  /// The id of the string that `text` is the UTF-8 of, interned if it is new.
  ///
  /// `text` must be valid UTF-8: invalid bytes become U+FFFD. It is copied if it is new, and need not outlive the call.
  /// A Swift string is created only when a caller requests it.
  ///
  /// Complexity: O(length).
  package mutating func id(ofUTF8 text: UnsafeRawBufferPointer) -> StringID {
    id(ofUTF8: text, hash: TextHash.of(text, seed: TextHash.processSeed))
  }

  /// The same, if the caller has taken the hash under ``TextHash/processSeed`` already.
  package mutating func id(ofUTF8 text: UnsafeRawBufferPointer, hash: UInt64) -> StringID {
    if let known = texts.find(text, hash: hash) { return StringID(rawValue: known) }
    add(text, hash: hash)
    return StringID(rawValue: texts.lastID)
  }

  /// Gives the next id to `string`, which another table with the same ids has found to be new.
  package mutating func append(_ string: String) {
    var string = string
    string.withUTF8 { bytes in
      let text = UnsafeRawBufferPointer(bytes)
      add(text, hash: TextHash.of(text, seed: TextHash.processSeed))
    }
  }

  private mutating func add(_ text: UnsafeRawBufferPointer, hash: UInt64) {
    texts.append(text, hash: hash)
    if Self.notifyingPrefixes.contains(where: { text.starts(with: $0.utf8) }) {
      notifyingClasses.append(StringID(rawValue: texts.lastID))
    }
  }

  /// The string of `id`; an id of another table is a programmer's mistake and traps.
  ///
  /// Complexity: O(length): the string is made again.
  package subscript(id: StringID) -> String { texts[id.rawValue] }

  // MARK: Classes

  /// How the names begin of the classes that runtimes make for observing, Apple's and GNUstep's; the name of the class
  /// that is observed follows.
  package static let notifyingPrefixes = ["NSKVONotifying_", "GSKVO"]

  /// The class that a runtime made ``notifyingClasses``' `id` of; nil: no string is its name.
  ///
  /// Complexity: O(length).
  package func observedClass(of id: StringID) -> StringID? {
    let name = self[id]
    guard let prefix = Self.notifyingPrefixes.first(where: name.hasPrefix) else { return nil }
    var observed = String(name.utf8.dropFirst(prefix.utf8.count)) ?? ""
    let found = observed.withUTF8 {
      let text = UnsafeRawBufferPointer($0)
      return texts.find(text, hash: TextHash.of(text, seed: TextHash.processSeed))
    }
    return found.flatMap { $0 == 0 ? nil : StringID(rawValue: $0) }
  }

  // MARK: Stacks

  /// The id of `stack` (innermost frame first), interned if it is new.
  ///
  /// Allocates only if it is new. Complexity: O(frames).
  package mutating func id(of stack: [Frame]) -> StackID {
    StackID(rawValue: stacks.id(of: stack))
  }

  /// Gives the next id to `stack`.
  package mutating func append(_ stack: [Frame]) { stacks.append(stack) }

  /// The frames of `id`, innermost first; an id of another table traps.
  ///
  /// Complexity: O(frames): the array is made again. See ``frames(of:)``.
  package subscript(id: StackID) -> [Frame] { Array(stacks[id.rawValue]) }

  /// The frames of `id`, innermost first, if they are stored; an id of another table traps.
  ///
  /// Complexity: O(1). Do not keep the result: the next new stack would copy the whole table.
  package func frames(of id: StackID) -> ArraySlice<Frame> { stacks[id.rawValue] }

  // MARK: Identifiers

  /// The identifier spelled `text`: a decimal number stands for itself, other text is interned.
  ///
  /// A number with a leading zero or a sign, or of 2^62 and above, counts as text, so that the spelling is always
  /// preserved.
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

  // MARK: Taking back

  /// The number of names at one time.
  package struct Mark: Sendable {
    fileprivate let string: UInt32
    fileprivate let stack: UInt32
  }

  /// The current number of names.
  package var mark: Mark { Mark(string: texts.lastID, stack: stacks.lastID) }

  /// Removes the names that were added after `mark`, as if they had never existed.
  ///
  /// For a reader that gives up in the middle of a line: no caller may have seen the ids.
  ///
  /// Complexity: O(their length).
  package mutating func removeAll(after mark: Mark) {
    texts.removeAll(above: mark.string)
    while let last = notifyingClasses.last, last.rawValue > mark.string {
      notifyingClasses.removeLast()
    }
    stacks.removeAll(above: mark.stack)
  }
}
