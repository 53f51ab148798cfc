/// The words by which the sentences of the runtimes are found in a skeleton.
enum SentenceHead: Int, CaseIterable {
  case cannotRemove
  case cannotRemoveGNUstep
  case cannotUpdate
  case deallocated
  case deallocatedGNUstep
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
    var places: Range<Int>
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

  /// All heads in `skeleton`, in the order in which they stand.
  ///
  /// Complexity: O(length).
  static func all(in skeleton: [UInt8]) -> [Match] {
    var found: [Match] = []
    let isFirst = byFirstByte.map { !$0.isEmpty }
    var place = 0
    while place < skeleton.count {
      let byte = Int(skeleton[place])
      guard isFirst[byte] else {
        place += 1
        continue
      }
      var length = 0
      for index in byFirstByte[byte] where skeleton.has(phrases[index].bytes, at: place) {
        length = phrases[index].bytes.count
        found.append(Match(head: phrases[index].head, places: place..<place + length))
        break
      }
      place += max(1, length)
    }
    return found
  }
}

extension [UInt8] {
  /// Whether `bytes` stand at `place`.
  func has(_ bytes: [UInt8], at place: Int) -> Bool {
    guard place >= 0, place + bytes.count <= count else { return false }
    for index in bytes.indices where self[place + index] != bytes[index] { return false }
    return true
  }

  func has(_ phrase: StaticString, at place: Int) -> Bool {
    let length = phrase.utf8CodeUnitCount
    guard place >= 0, place + length <= count else { return false }
    return phrase.withUTF8Buffer { phrase in
      for index in 0..<length where self[place + index] != phrase[index] { return false }
      return true
    }
  }

  /// Where `phrase` first stands in `range`.
  ///
  /// Complexity: O(length of the range × length of the phrase).
  func first(_ phrase: StaticString, in range: Range<Int>) -> Int? {
    guard range.lowerBound < range.upperBound else { return nil }
    let first = phrase.utf8Start.pointee
    var place = range.lowerBound
    while place < range.upperBound {
      if self[place] == first, has(phrase, at: place) { return place }
      place += 1
    }
    return nil
  }

  /// Where `phrase` last stands in `range`.
  func last(_ phrase: StaticString, in range: Range<Int>) -> Int? {
    var place = range.upperBound - phrase.utf8CodeUnitCount
    while place >= range.lowerBound {
      if has(phrase, at: place) { return place }
      place -= 1
    }
    return nil
  }
}
