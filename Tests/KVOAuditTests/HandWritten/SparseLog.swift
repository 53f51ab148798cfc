import Testing

/// A log by an author who writes little: most optional keys are missing.
///
/// The verdicts were written down before the logs were judged. Some changed afterwards: the severity of a key
/// without an accessor and that of changes of two keys that cross, which every runtime delivers, and the logs of tokens
/// that are deallocated, which got a notification or KVO031.
///
/// `HandWrittenLog` says all that there is to say, and its tests leave keys out; here each log has exactly
/// the keys that its author had.
struct SparseLog: Sendable, CustomTestStringConvertible {
  let name: String
  /// The findings with their severities, without what follows from them: `KVO006 note`.
  let expected: [String]
  /// Rules that the report must name as not judged.
  let notJudged: [String]
  private let lines: String

  init(_ name: String, _ expected: [String], notJudged: [String] = [], _ lines: String) {
    self.name = name
    self.expected = expected
    self.notJudged = notJudged
    self.lines = lines
  }

  var testDescription: String { name }

  var text: String {
    var text = lines
    for (short, long) in Self.words { text = text.replacing(short, with: long) }
    return text + "\n"
  }

  private static let words = [
    ("$pair", #""subject":$account,"observer":$screen,"keyPath":"balance""#),
    ("$second", #""subject":$account,"observer":$page,"keyPath":"balance""#),
    ("$change", #""subject":$account,"key":"balance""#),
    ("$self", #""subject":$account,"observer":$account,"keyPath":"balance""#),
    ("$only", #""subject":$account,"keyPath":"balance""#),
    ("$link", #""depth":1,"key":"name""#),
    ("$both", #""subject":$account,"observer":$screen"#),
    ("$account", #"{"class":"Account","id":"12"}"#),
    ("$savings", #"{"class":"Account","id":"13"}"#),
    ("$screen", #"{"class":"Screen","id":"3"}"#),
    ("$page", #"{"class":"Screen","id":"4"}"#),
    ("$person", #"{"class":"Person","id":"20"}"#),
    ("$token", #"{"class":"ObservationToken","id":"9"}"#),
    ("$closure", #"{"class":"closure #1 in Screen.init","id":"30"}"#),
    ("$one", #"{"class":"A","id":"1","kind":"object"}"#),
    ("$two", #"{"class":"B","id":"2","kind":"object"}"#),
    ("$at020", #"{"class":"S","address":"0x020"}"#),
    ("$at10", #"{"class":"A","address":"0x10"}"#),
    ("$at20", #"{"class":"S","address":"0x20"}"#),
  ]

  static let all =
    removals + additions + deaths + deliveries + changes + paths + scopes + threads + doubts
    + writers + unnamed + ends + numbers
}
