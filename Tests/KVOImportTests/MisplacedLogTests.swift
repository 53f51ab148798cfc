import KVOFindings
import KVORules
import Testing

@testable import KVOImport

@Suite("A usage log instead of text")
struct MisplacedLogTests {
  private static let event = #"{"event":"exit","status":0}"# + "\n"
  private static let words = String(repeating: "what a program says\n", count: 40)

  @Test("is reported with its start offset, however the input is cut")
  func behindText() {
    let bytes = Array((Self.words + Self.event + Self.event).utf8)
    let refusal = "a usage log begins at byte 800, after other text; give it alone: tail -c +801"
    #expect(Reading.imported(bytes).refusal == refusal)
    for cut in 790..<830 {
      var log = MisplacedLog()
      log.look(at: bytes[..<cut])
      log.look(at: bytes[cut...])
      #expect(log.offset == 800, "cut at \(cut)")
    }
    var byByte = MisplacedLog()
    for index in bytes.indices { byByte.look(at: bytes[index...index]) }
    #expect(byByte.offset == 800)
  }

  @Test(
    "in another encoding is reported, with and without a mark, however the input is cut",
    arguments: [16, 32],
    [true, false]
  )
  func otherEncoding(bitCount: Int, isBigEndian: Bool) {
    func bytes(_ text: String) -> [UInt8] {
      text.unicodeScalars.flatMap { scalar in
        let bytes = (0..<bitCount / 8).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
      }
    }
    let encoding = "UTF-\(bitCount)\(isBigEndian ? "BE" : "LE")"
    for text in [Self.event, Self.event + Self.event, Self.words + Self.event] {
      for mark in ["", "\u{feff}"] {
        let input = bytes(mark + text)
        let refusal =
          "a usage log in another encoding than UTF-8; convert it first: iconv -f \(encoding) -t UTF-8"
        #expect(Reading.imported(input).refusal == refusal, "\(text.prefix(20))")
        var decoder = TextDecoder()
        let pieces = input.indices.map { Array(decoder.decode(input[$0...$0])) }
        #expect(String(decoding: pieces.joined() + decoder.finish(), as: UTF8.self) == mark + text)
      }
    }
    let words = bytes(
      "Cannot remove an observer <A 0x1> for the key path \"k\" from <B 0x2> because it is not "
        + "registered as an observer.\n"
    )
    #expect(Reading.imported(words).findings.map(\.code) == [.removeUnregistered])
  }

  @Test(
    "whose lines something else has wrapped is reported",
    arguments: [
      (
        "Jan  1 00:00:00 host app[12]: ", "",
        "its lines have events of a usage log after other words; give the events alone: sed 's/^[^{]*//'"
      ),
      (
        "\u{1e}", "",
        "its lines have events of a usage log after other words; give the events alone: sed 's/^[^{]*//'"
      ),
      (
        #"{"stream":"stdout","log":""#, #"\n"}"#,
        "it has a usage log in texts of other JSON; take it out first: jq -r '.log'"
      ),
    ]
  )
  func wrapped(before: String, after: String, refusal: String) {
    var event = #"{"event":"remove","subject":{"class":"Account","id":"12"},"keyPath":"balance"}"#
    if !after.isEmpty { event = event.replacing("\"", with: "\\\"") }
    let line = before + event + after + "\n"
    #expect(Reading.imported(Array((line + line).utf8)).refusal == refusal)
    // What is known in a text is reported.
    let sentence =
      "Cannot remove an observer <A 0x1> for the key path \"k\" from <B 0x2> because it is not "
      + "registered as an observer.\n"
    if after.isEmpty {
      let known = Reading.imported(Array((line + sentence).utf8))
      #expect(known.refusal == nil)
      #expect(known.findings.count == 1)
    }
  }

  @Test("that Python printed as dictionaries is reported")
  func printed() {
    let line =
      "{'event': 'register', 'subject': {'class': 'Account', 'id': '12'}, 'keyPath': 'balance'}\n"
    let refusal =
      "its lines are events as Python prints dictionaries, which are not JSON: "
      + "write json.dumps(event)"
    #expect(Reading.imported(Array((line + line).utf8)).refusal == refusal)
  }

  @Test(
    "other inputs that are not text are reported",
    arguments: [
      (
        #"{"schema": 1, "findings": []}"#,
        "a report of kvo-audit, not a log; `kvo-audit merge` reads it"
      ),
      (
        #"[{"event":"exit","status":0}]"#,
        "a list of events; a usage log has one event in each line: jq -c '.[]'"
      ),
      ("\u{1f}\u{1}\u{2}\u{3}\u{4}binary", Self.noText),
    ]
  )
  func others(text: String, refusal: String) {
    #expect(Reading.imported(Array(text.utf8)).refusal == refusal)
  }

  @Test(
    "for packed files the unpacking tool is named",
    arguments: [
      ([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], "gunzip -c"),
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4, 0xe6, 0xd6], "xz -dc"),
      ([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x51, 0, 0, 0x7b], "zstd -dc"),
      ([0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], "bunzip2 -c"),
      ([0x50, 0x4b, 0x03, 0x04, 0x14, 0, 0, 0, 0x08, 0], "unzip -p"),
    ] as [([UInt8], String)]
  )
  func packed(bytes: [UInt8], tool: String) {
    #expect(Reading.imported(bytes).refusal == "packed; unpack it first: \(tool)")
  }

  @Test(
    "a report in UTF-16 is reported, in whichever order its keys are",
    arguments: [
      #"{"schema": 1, "findings": []}"#, #"{"events":{"a":1},"findings":[],"schema":1}"#,
    ]
  )
  func encodedReport(text: String) {
    let bytes: [UInt8] = [0xff, 0xfe] + text.utf8.flatMap { [$0, 0] as [UInt8] }
    #expect(Reading.imported(bytes).refusal == ImportedText.reportReason)
  }

  @Test(
    "text that only mentions events is text",
    arguments: [
      words, #"log: {"event":"exit"} was written"#, words + #"{"event":"app_open","screen":"x"}"#,
      words + #"{"event":"exit"#, #"{"schema": "https://example.org/x"}"#, "[]",
      #"{"findings":[],"tool":"another"}"#,
      #"  {"event":"exit"}"#, "\u{1b}[31mred\u{1b}[0m\ttab\n",
      #"web: {"event":"click","subject":{"class":"btn primary","id":"x"}}"#,
      #"web: {"event":"remove","element":{"class":"btn primary","id":"x"}}"#,
      #"{"time":"x","message":"{\"event\":\"click\",\"object\":{\"class\":\"btn\"}}"}"#,
    ]
  )
  func twins(text: String) {
    #expect(Reading.imported(Array(text.utf8)).refusal == nil)
  }

  private static let noText =
    "neither text nor a usage log: it has bytes that no text has; name the crash report or console "
    + "text inside it, unpacked"
}
