import KVOTrace
import KVOTraceJSON
import Testing

@Suite("What is written is read back") struct RoundTripTests {
  @Test("Random events of every kind come back equal", arguments: 0..<100 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var source = RandomEvents(seed: seed)
    var events: [Event] = []
    var bytes: [UInt8] = []
    for kind in 0..<RandomEvents.bodyCount {
      let event = source.event(kind: kind)
      events.append(event)
      JSONLinesWriter.append(event, names: source.names, to: &bytes)
    }
    // With the writer's names to begin with, equal spellings have equal ids, and events can be
    // compared as they are.
    let reading = Reading(bytes, names: source.names)
    #expect(reading.problems == [])
    #expect(reading.reader.unknownKeys.isEmpty)
    #expect(reading.events == events)
    #expect(reading.written == String(decoding: bytes, as: UTF8.self))
  }

  @Test("An empty key path is written if the grammar requires one, and is read back")
  func emptyKeyPath() {
    var names = TraceNames()
    let account = ObjectRef(id: names.identifier("12"), className: names.id(of: "Account"))
    let registration = Registration(id: nil, subject: account, observer: nil, keyPath: .none)
    let removal = Removal(subject: account, observer: nil, keyPath: .none)
    let events = [
      Event(.register(registration)), Event(.live(registration)),
      Event(.refused(registration, reason: .nilKeyPath, part: .none)),
      Event(.remove(removal)), Event(.removeEnd(removal)),
    ]
    var bytes: [UInt8] = []
    for event in events { JSONLinesWriter.append(event, names: names, to: &bytes) }
    let reading = Reading(bytes, names: names)
    #expect(reading.problems == [])
    #expect(reading.events == events)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.map { $0.contains(#""keyPath":"""#) } == [true, true, false, true, true])
  }

  @Test("Every kind of event is among the random ones")
  func everyKind() {
    var source = RandomEvents(seed: 1)
    let names = (0..<RandomEvents.bodyCount).map { source.event(kind: $0).body.name }
    #expect(names == Event.Body.names)
  }

  @Test("An event without anything optional is its shortest line")
  func shortest() {
    var names = TraceNames()
    let account = ObjectRef(id: names.identifier("12"), className: names.id(of: "Account"))
    let balance = names.id(of: "balance")
    var bytes: [UInt8] = []
    JSONLinesWriter.append(
      Event(.register(Registration(id: nil, subject: account, observer: nil, keyPath: balance))),
      names: names,
      to: &bytes
    )
    JSONLinesWriter.append(
      Event(.willChange(Change(subject: account, key: balance, id: nil))),
      names: names,
      to: &bytes
    )
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"event":"register","subject":{"class":"Account","id":"12"},"keyPath":"balance","form":"classic"}
        {"event":"willChange","subject":{"class":"Account","id":"12"},"key":"balance"}

        """
    )
  }

  @Test("Keys stand in the order of the grammar")
  func keyOrder() {
    var names = TraceNames()
    let account = ObjectRef(id: names.identifier("12"), className: names.id(of: "Account"))
    let screen = ObjectRef(id: names.identifier("s-3"), className: names.id(of: "Screen"))
    let token = ObjectRef(id: Identifier(4), className: names.id(of: "Token"), kind: .token)
    let stack = names.id(of: [
      Frame(address: 0x55d0_c0de),
      Frame(
        address: 1,
        symbol: names.id(of: "f"),
        module: names.id(of: "app"),
        file: names.id(of: "a\\b.swift"),
        line: 7
      ),
    ])
    var bytes: [UInt8] = []
    JSONLinesWriter.append(
      Event(
        .register(
          Registration(
            id: Identifier(5),
            subject: account,
            observer: screen,
            keyPath: names.id(of: "say \"hi\"\n"),
            context: .null,
            options: [.prior, .old, .new, .initial],
            form: .token,
            token: token,
            site: names.id(of: "Screen.swift:12"),
            executor: names.id(of: "main"),
            expectedToLive: names.id(of: "cache")
          )
        ),
        time: 1,
        thread: Identifier(2),
        order: 3,
        stack: stack,
        scope: names.identifier("test")
      ),
      names: names,
      to: &bytes
    )
    #expect(
      String(decoding: bytes, as: UTF8.self) == #"""
        {"event":"register","t":1,"thread":2,"order":3,"subject":{"class":"Account","id":"12"},\#
        "observer":{"class":"Screen","id":"s-3"},"keyPath":"say \"hi\"\n","context":null,\#
        "options":["new","old","initial","prior"],"registration":5,"form":"token",\#
        "token":{"class":"Token","id":"4","kind":"token"},"site":"Screen.swift:12",\#
        "executor":"main","expectedToLive":"cache","stack":["0x55d0c0de",{"address":"0x1",\#
        "symbol":"f","module":"app","file":"a\\b.swift","line":7}],"scope":"test"}

        """#
    )
  }

  @Test(
    "Numbers are written with all their digits",
    arguments: [0, 1, 9, 10, 99, 100, 12_345, UInt64.max - 1, UInt64.max]
  )
  func numbers(number: UInt64) {
    var bytes: [UInt8] = []
    bytes.append(decimal: number)
    bytes.append(jsonAddress: number)
    #expect(
      String(decoding: bytes, as: UTF8.self) == "\(number)\"0x\(String(number, radix: 16))\""
    )
  }
}
