/// The words by which the sentences of the runtimes are found in a skeleton.
enum SentenceHead: Int, CaseIterable {
  case cannotRemove
  case cannotRemoveGNUstep
  case cannotUpdate
  case deallocated
  case deallocatedGNUstep
  /// As Mac OS X 10.4 prints it.
  case deallocating
  /// As AppKit prints it before an application's object is deallocated.
  case deallocatingObserved
  case observeValue
  case undefinedKey
  case addObserver
  case removeObserver
  case notCompliant
  case classPair
  case keyPathTrap
  case notObservable
  case unableToFind
  case doesNotRecognize
  case setterNotice

  private var phrase: StaticString {
    switch self {
    case .cannotRemove: "cannotremoveanobserver"
    case .cannotRemoveGNUstep: "cannotremoveobserver"
    case .cannotUpdate: "cannotupdateforobserver"
    case .deallocated: "deallocatedwhilekeyvalueobserverswerestillregisteredwithit"
    case .deallocatedGNUstep: "deallocatedwithobserversstillregistered"
    case .deallocating: "isbeingdeallocatedwhilekeyvalueobserversarestillregisteredwithit"
    case .deallocatingObserved: "isbeingdeallocatedwhileobserversarestillregisteredwithit"
    case .observeValue: "observevalueforkeypathofobjectchangecontext"
    case .undefinedKey: "valueforundefinedkey"
    case .addObserver: "addobserverforkeypathoptionscontext"
    case .removeObserver: "removeobserverforkeypath"
    case .notCompliant: "toanobjectthatisnotkvccompliantforthe"
    case .classPair: "kvofailedtoallocateclasspairforname"
    case .keyPathTrap: "couldnotextractastringfromkeypath"
    case .notObservable: "thisclassisnotobservable"
    case .unableToFind: "unabletofindvalueforkey"
    case .doesNotRecognize: "doesnotrecognizeremoveobserverforkeypathcontext"
    case .setterNotice: "autonotifyingwillnotbedoneforinvocationsof"
    }
  }

  /// A head in a skeleton.
  struct Match {
    var head: SentenceHead
    /// The bytes of the skeleton that it takes.
    var offsets: Range<Int>
    /// Whether the text stops inside it.
    var isCut = false
  }

  private static let phrases = allCases.map { head in
    (head: head, bytes: head.phrase.withUTF8Buffer { Array($0) })
  }

  /// By the first byte, the phrases that begin with it.
  private static let byFirstByte: [[Int]] = {
    var table = Array(repeating: [Int](), count: 256)
    for (index, phrase) in phrases.enumerated() { table[Int(phrase.bytes[0])].append(index) }
    return table
  }()

  /// All heads in `skeleton`, in order of occurrence.
  ///
  /// Complexity: O(length).
  static func all(in skeleton: [UInt8]) -> [Match] {
    var found: [Match] = []
    let isFirst = byFirstByte.map { !$0.isEmpty }
    var offset = 0
    while offset < skeleton.count {
      let byte = Int(skeleton[offset])
      guard isFirst[byte] else {
        offset += 1
        continue
      }
      var length = 0
      for index in byFirstByte[byte] where skeleton.has(phrases[index].bytes, at: offset) {
        length = phrases[index].bytes.count
        found.append(Match(head: phrases[index].head, offsets: offset..<offset + length))
        break
      }
      offset += max(1, length)
    }
    return found
  }
}

extension [UInt8] {
  /// Whether `bytes` are at `offset`.
  func has(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + bytes.count <= count else { return false }
    for index in bytes.indices where self[offset + index] != bytes[index] { return false }
    return true
  }

  func has(_ phrase: StaticString, at offset: Int) -> Bool {
    let length = phrase.utf8CodeUnitCount
    guard offset >= 0, offset + length <= count else { return false }
    return phrase.withUTF8Buffer { phrase in
      for index in 0..<length where self[offset + index] != phrase[index] { return false }
      return true
    }
  }

  /// Where `phrase` first is in `range`.
  ///
  /// Complexity: O(length of the range × length of the phrase).
  func first(_ phrase: StaticString, in range: Range<Int>) -> Int? {
    guard range.lowerBound < range.upperBound else { return nil }
    let first = phrase.utf8Start.pointee
    var offset = range.lowerBound
    while offset < range.upperBound {
      if self[offset] == first, has(phrase, at: offset) { return offset }
      offset += 1
    }
    return nil
  }

  /// Where `phrase` last is in `range`.
  func last(_ phrase: StaticString, in range: Range<Int>) -> Int? {
    var offset = range.upperBound - phrase.utf8CodeUnitCount
    while offset >= range.lowerBound {
      if has(phrase, at: offset) { return offset }
      offset -= 1
    }
    return nil
  }
}
