import KVOTrace
import KVOTraceJSON
import Testing

@Suite("The reader of JSON Lines") struct JSONLinesReaderTests {
  private static let subject = #""subject":{"class":"A","id":"1"}"#

  @Test(
    "accepts what the grammar allows",
    arguments: [
      // Ids as numbers or texts, threads likewise.
      (
        #"{"event":"register","thread":"7","subject":{"class":"A","id":1},"keyPath":"k","registration":"5"}"#,
        #"{"event":"register","thread":7,"subject":{"class":"A","id":"1"},"keyPath":"k","registration":5,"form":"token"}"#
      ),
      // The three ways to write the NULL context, and a named one.
      (
        #"{"event":"remove",\#(subject),"keyPath":"k","context":null}"#,
        #"{"event":"remove",\#(subject),"keyPath":"k","context":null}"#
      ),
      (
        #"{"event":"remove",\#(subject),"keyPath":"k","context":"0x0"}"#,
        #"{"event":"remove",\#(subject),"keyPath":"k","context":null}"#
      ),
      (
        #"{"event":"remove",\#(subject),"keyPath":"k","context":0}"#,
        #"{"event":"remove",\#(subject),"keyPath":"k","context":null}"#
      ),
      (
        #"{"event":"remove",\#(subject),"keyPath":"k","context":"0x10"}"#,
        #"{"event":"remove",\#(subject),"keyPath":"k","context":"0x10"}"#
      ),
      // Null stands for absent everywhere else.
      (
        #"{"event":"remove","t":null,\#(subject),"observer":null,"keyPath":"k","stack":null}"#,
        #"{"event":"remove",\#(subject),"keyPath":"k"}"#
      ),
      // Frames as texts, numbers and objects.
      (
        #"{"event":"exit","status":0,"stack":["0xAB",16,"-[Screen dealloc] (Screen.m:41)","f(x:)","g (h)","(a:1)",{"symbol":"s"}]}"#,
        #"{"event":"exit","status":0,"stack":["0xab","0x10",{"symbol":"-[Screen dealloc]","file":"Screen.m","line":41},{"symbol":"f(x:)"},{"symbol":"g (h)"},{"file":"a","line":1},{"symbol":"s"}]}"#
      ),
      // Escapes, spaces and whole numbers written as fractions.
      (
        " { \"event\" : \"threadName\" , \"t\" : 1e3, \"name\" : \"\\u00e9\\ud83d\\ude00\\/\" } \t",
        #"{"event":"threadName","t":1000,"name":"é😀/"}"#
      ),
      (
        #"{"event":"dropped","count":18446744073709551615,"order":9007199254740993}"#,
        #"{"event":"dropped","order":9007199254740993,"count":18446744073709551615}"#
      ),
    ]
  )
  func accepts(line: String, canonical: String) {
    let reading = Reading(line)
    #expect(reading.problems == [])
    #expect(reading.written == canonical + "\n")
  }

  @Test(
    "reports the error of a line, its position, and the correct form",
    arguments: [
      ("nonsense", "1:2: not JSON: invalid value"),
      ("[1]", "1:1: not an event: a line must hold one JSON object"),
      (#"{"event":"exit" "status":0}"#, "1:17: not JSON: invalid value"),
      (#"{"event":"exit","status":01}"#, "1:27: not JSON: number with leading zero"),
      (#"{"event":"exit","status":0} {}"#, "1:29: not JSON: invalid value"),
      (#"{"t":1}"#, #"1:1: the event has no "event""#),
      (#"{"event":7}"#, #"1:2: "event" is 7; it must be a text"#),
      (#"{"event":"deinit"}"#, #"1:1: the event has no "object""#),
      (#"{"event":"deinit","object":"A#1"}"#, #"1:19: "object" is "A#1"; it must be an object"#),
      (
        #"{"event":"deinit","object":{"class":"A"}}"#,
        #"1:19: "object" has neither "id" nor "address""#
      ),
      (#"{"event":"deinit","object":{"id":"1"}}"#, #"1:19: "object" has no "class""#),
      (
        #"{"event":"deinit","object":{"class":"A","id":""}}"#,
        #"1:41: "id" is an empty text"#
      ),
      (
        #"{"event":"deinit","object":{"class":"A","address":"12"}}"#,
        #"1:41: "address" is "12"; it must be an address as "0x7f00c0de""#
      ),
      (
        #"{"event":"deinit","object":{"class":"A","address":"0x0"}}"#,
        #"1:41: "address" is 0, where no object is; leave the object out"#
      ),
      (
        #"{"event":"exit","status":0,"order":-1}"#,
        #"1:28: "order" is -1; it must be a whole number from 0 to 18446744073709551615"#
      ),
      (
        #"{"event":"exit","status":0,"order":1.5}"#,
        #"1:28: "order" is 1.5; it must be a whole number from 0 to 18446744073709551615"#
      ),
      (
        #"{"event":"exit","status":0,"order":1e300}"#,
        #"1:28: "order" is 1e+300; it must be a whole number from 0 to 18446744073709551615"#
      ),
      (
        #"{"event":"exit","status":0,"order":18446744073709551616}"#,
        #"1:28: "order" is 1.8446744073709552e+19; it must be a whole number from 0 to 18446744073709551615"#
      ),
      (
        #"{"event":"exit","status":0,"order":true}"#,
        #"1:28: "order" is true; it must be a whole number from 0 to 18446744073709551615"#
      ),
      (
        #"{"event":"walkEnd","complete":1}"#,
        #"1:20: "complete" is 1; it must be true or false"#
      ),
      (
        #"{"event":"register",\#(subject),"keyPath":"k","options":["new","newest"]}"#,
        #"1:68: "options" holds "newest"; it must hold "new", "old", "initial", "prior" only"#
      ),
      (
        #"{"event":"expects","rules":["KVO+01"]}"#,
        #"1:20: "rules" holds "KVO+01"; it must hold codes such as "KVO001""#
      ),
      (
        #"{"event":"expects","rules":["\#(String(repeating: "K", count: 70))"]}"#,
        #"1:20: "rules" holds "\#(String(repeating: "K", count: 60))…"; it must hold codes such as "KVO001""#
      ),
      (
        #"{"event":"register",\#(subject),"keyPath":"k","form":"classik"}"#,
        #"1:68: "form" is "classik"; it must be one of "classic", "token", "controller", "stream""#
      ),
      (
        #"{"event":"register",\#(subject),"keyPath":"k","context":""}"#,
        #"1:68: "context" is an empty text; the NULL context is null"#
      ),
      (
        #"{"event":"exit","status":0,"stack":[true]}"#,
        #"1:28: "stack" holds true; a frame is an address, a text or an object"#
      ),
      (
        #"{"event":"exit","status":0,"stack":[{"line":-4}]}"#,
        #"1:38: "line" is -4; it must be a whole number from 0 to 4294967295"#
      ),
      (
        #"{"event":"process","schema":1,"pid":-1}"#,
        #"1:31: "pid" is -1; it must be a whole number from 0 to 9223372036854775807"#
      ),
      (
        #"{"event":"scopeBegin","id":-1,"repetition":-1}"#,
        #"1:31: "repetition" is -1; it must be a whole number from 0 to 9223372036854775807"#
      ),
      (
        #"{"event":"crash","live":-2}"#,
        #"1:18: "live" is -2; it must be a whole number from 0 to 9223372036854775807"#
      ),
      (
        #"{"event":"consumerBegin","consumer":7,"priority":256}"#,
        #"1:39: "priority" is 256; it must be a whole number from 0 to 255"#
      ),
      ("{\"event\":\"threadName\",\"name\":\"\u{0}\"}", "1:31: not JSON: a NUL byte"),
      (#"{"event":"threadName","name":"\ud800"}"#, "1:31: not JSON: half of a surrogate pair"),
    ]
  )
  func refuses(line: String, problem: String) {
    let reading = Reading(line + "\n")
    #expect(reading.problems == [problem])
    #expect(reading.events == [])
  }

  @Test("takes the line 0 of a frame for one that is not known, as debug information means it")
  func noLine() {
    let reading = Reading(
      """
      {"event":"exit","status":0,"stack":[{"symbol":"main","file":"main.m","line":0},"main (main.m:0)"]}
      {"event":"exit","status":0,"stack":[{"symbol":"main","file":"main.m"},{"symbol":"main","file":"main.m"}]}
      """
    )
    #expect(reading.problems == [])
    #expect(reading.events.map(\.stack) == [reading.events[0].stack, reading.events[0].stack])
  }

  @Test("reads the column of a frame in a text, and drops it")
  func column() {
    let reading = Reading(
      """
      {"event":"exit","status":0,"stack":["Screen.close() (C:/Bank/Screen.swift:12:5)"]}
      {"event":"exit","status":0,"stack":[{"symbol":"Screen.close()","file":"C:/Bank/Screen.swift","line":12}]}
      """
    )
    #expect(reading.problems == [])
    #expect(reading.events.map(\.stack) == [reading.events[0].stack, reading.events[0].stack])
  }

  @Test("counts unknown events and keys and reads the rest")
  func unknown() {
    let reading = Reading(
      """
      {"event":"sparkle","glitter":1}
      {"event":"exit","status":0,"mood":"fine","stack":[{"symbol":"f","column":3}]}
      {"event":"deinit","object":{"class":"A","id":"1","color":"red"},"mood":1}
      """
    )
    #expect(reading.problems == [])
    #expect(reading.lines == [2, 3])
    #expect(reading.reader.unknownEvents.counts == ["sparkle": 1])
    #expect(
      reading.reader.unknownKeys.counts == ["mood": 2, "stack.column": 1, "object.color": 1]
    )
  }

  @Test("numbers the objects that lived at one address")
  func generations() {
    let reading = Reading(
      """
      {"event":"deinit","object":{"class":"A","address":"0x10"}}
      {"event":"deinit","object":{"class":"B","address":"0x20"}}
      {"event":"deinitEnd","object":{"class":"A","address":16}}
      {"event":"deinit","object":{"class":"C","address":"0x10"}}
      {"event":"deinit","object":{"class":"D","id":"1"}}
      {"event":"deinit","object":{"class":"D","id":"1","address":"0x10"}}
      """
    )
    #expect(reading.problems == [])
    let ids = reading.events.compactMap { event -> ObjectID? in
      switch event.body {
      case .deinit(let object), .deinitEnd(let object): object.id
      default: nil
      }
    }
    #expect(ids.map { reading.reader.names.text(of: $0) } == ["1", "2", "1", "3", "1", "1"])
    #expect(ids[0] == ids[2])
    #expect(ids[0] != ids[4], "An id that the log spells is another object, whatever its number.")
    #expect(ids[4] == ids[5])
  }

  @Test("refuses a log of a later schema as a whole")
  func laterSchema() {
    let reading = Reading(
      """
      {"event":"exit","status":0}
      {"event":"process","pid":{"new":"shape"},"schema":2}
      {"event":"exit","status":0}
      """
    )
    #expect(reading.lines == [1])
    #expect(reading.problems == [])
    #expect(
      reading.reader.refusal
        == LogProblem(
          line: 2,
          column: 42,
          message: "the log is written to schema 2; this version reads schemas up to 1"
        )
    )
  }

  @Test("keeps a thousand problems and counts the others")
  func manyProblems() {
    let reading = Reading(String(repeating: "x\n", count: 1500))
    #expect(reading.reader.problems.count == 1000)
    #expect(reading.reader.problemCount == 1500)
  }

  @Test("skips and counts blank lines, wherever the chunks end", arguments: [1, 2, 3, 7, 1_000])
  func blankLines(chunkSize: Int) {
    let text =
      "\n\r\n \t\n\t\r\n" + #"{"event":"exit","status":0}"# + "\n\n  x\n"
      + String(repeating: " ", count: 200) + "\n \r\r\n\n" + #"{"event":"exit","status":1}"#
    let reading = Reading(Array(text.utf8), chunkSize: chunkSize, lineByteLimit: 100)
    #expect(reading.lines == [5, 12])
    // A word, and a line that is too long.
    #expect(reading.reader.problems.map(\.line) == [7, 8])
  }
}
