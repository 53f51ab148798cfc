import KVORules
import KVOSchema
import KVOTrace
import TestSupport
import Testing

@testable import KVOAudit
@testable import KVOLogTools

@Suite("Anonymizing a log") struct LogAnonymizationTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let key = Array("0123456789abcdef".utf8)

  private func anonymized(
    _ log: String,
    resolver: (any FrameResolver)? = nil
  ) throws -> (text: String, map: PseudonymMap) {
    var anonymization = LogAnonymization(
      key: try #require(AnonymizationKey(Self.key)),
      resolver: resolver
    )
    var bytes: [UInt8] = []
    _ = try anonymization.run(.file(path: folder.file("log", log))) { part, _ in
      bytes += part
      return true
    }
    return (String(decoding: bytes, as: UTF8.self), anonymization.map)
  }

  private func restored(_ bytes: [UInt8], by map: PseudonymMap) throws -> String {
    var result: [UInt8] = []
    try LogRestoration(map).run(.file(path: folder.file("text", bytes))) { part, _ in
      result += part
      return true
    }
    return String(decoding: result, as: UTF8.self)
  }

  @Test("replaces the names in each field of each event")
  func fields() throws {
    let object = #"{"class":"SecretClass","id":"secret-1"}"#
    let lines = [
      #"{"event":"process","schema":1,"executable":"/secret/secretApp","os":"iOS 16.4 secret","started":"secret now","complete":true,"appVersion":"secret2"}"#,
      #"{"event":"module","path":"/secret/libsecret.so","buildID":"5ec2e7","loadBias":"0x0","textStart":"0x10","textEnd":"0x20"}"#,
      #"{"event":"threadName","thread":"secret thread","name":"secret 4711"}"#,
      #"{"event":"register","subject":\#(object),"observer":\#(object),"keyPath":"secret.key1","context":"secretContext#1","registration":"secret-r","form":"classic","token":\#(object),"site":"Secret.swift:12","executor":"com.secret.queue","expectedToLive":"because secret","stack":[{"symbol":"secret() (secret.swift:4)"},{"symbol":"secret","module":"/secret/libsecret.so","file":"/secret/s.swift","line":7}],"scope":"secret-s"}"#,
      #"{"event":"refused","subject":\#(object),"keyPath":"secret","form":"classic","reason":"unknownKey","part":"secret"}"#,
      #"{"event":"remove","subject":\#(object),"keyPath":"secret","site":"secret.swift:1"}"#,
      #"{"event":"willChange","subject":\#(object),"key":"secret","change":"secret-c"}"#,
      #"{"event":"notify","registration":"secret-r","phase":"after","executor":"secret"}"#,
      #"{"event":"notifyEnd","registration":"secret-r","phase":"after","exception":"SecretException"}"#,
      #"{"event":"attach","registration":1,"depth":1,"key":"secret","object":\#(object),"strength":"weak"}"#,
      #"{"event":"write","subject":\#(object),"key":"secret","fingerprint":"secret \"4711\""}"#,
      #"{"event":"hold","from":\#(object),"to":\#(object),"label":"secret","strength":"strong","certainty":"proven","site":"secret.swift:9"}"#,
      #"{"event":"walkBegin","roots":[\#(object)]}"#,
      #"{"event":"walkEnd","complete":false,"opaque":["SecretOpaque"]}"#,
      #"{"event":"scopeBegin","id":"secret-s","parent":"secret-p","name":"secret test 4711"}"#,
      #"{"event":"lock","lock":"secret-lock"}"#,
      #"{"event":"class","object":\#(object),"class":"NSKVONotifying_SecretClass","kvoSubclass":true}"#,
      #"{"event":"declares","class":"SecretClass","superclass":"SecretBase","key":"secret","affectedBy":["secret.other"],"manual":false}"#,
      #"{"event":"crash","signal":"SIGSEGV","exception":"SecretException","reason":"secret 4711"}"#,
      #"{"event":"dropped","count":2,"why":"secret"}"#,
      #"{"event":"keep","reason":"secret 4711"}"#,
      #"{"event":"sample","of1024":256,"why":"secret"}"#,
      #"{"event":"consumerBegin","consumer":"secret-u","awaited":"SecretClass.secret","site":"Secret.swift:12","task":"secret 4711","expectedToLive":"because secret"}"#,
      #"{"event":"parked","consumer":"secret-u","left":true}"#,
      #"{"event":"consumerEnd","consumer":"secret-u","why":"left"}"#,
      #"{"event":"secretEvent","secret":"secret"}"#,
      #"{"event":"exit","status":0,"secret":"secret"}"#,
    ]
    #expect(Self.textKeys(lackedBy: lines) == [])
    let (text, map) = try anonymized(lines.joined(separator: "\n") + "\n")
    #expect(!text.lowercased().contains("secret"), "\(text)")
    #expect(!text.contains("4711") && !text.contains("5ec2e7"))
    // All of the grammar's events are there; what is not of the grammar is not.
    #expect(text.split(separator: "\n").count == lines.count - 1)
    #expect(text.contains(#""os":"iOS 16.4 n"#) && text.contains(#""signal":"SIGSEGV""#))
    #expect(text.contains(#""textStart":"0x10""#) && text.contains(#".swift:12""#))
    // By the map, it is the log that was read.
    let back = try restored(Array(text.utf8), by: map)
    let known = lines.filter { !$0.contains("secretEvent") }.joined(separator: "\n")
      .replacing(#","secret":"secret"}"#, with: "}")
    #expect(back == known + "\n")
  }

  /// The keys of the schema that are texts and that none of the lines has, as `notify.executor`.
  private static func textKeys(lackedBy lines: [String]) -> [String] {
    EventKind.all.flatMap { kind in
      let events = EventKind.all.filter { $0.body.name == kind.body.name }.map(\.name)
      let own = lines.filter { line in
        events.contains { line.hasPrefix(#"{"event":"\#($0)","#) }
      }
      let texts = kind.body.fields.filter { $0.role != .none }.map(\.key)
      return texts.filter { key in !own.contains { $0.contains(#""\#(key)":"#) } }
        .map { "\(kind.name).\($0)" }
    }
  }

  @Test("has the names of what was written of a log that is refused in the end")
  func refused() throws {
    var anonymization = LogAnonymization(key: try #require(AnonymizationKey(Self.key)))
    let log = """
      {"event":"deinit","object":{"class":"Account","id":"1"}}
      {"event":"process","schema":99}

      """
    let path = try folder.file("log", log)
    #expect(throws: InputFailure.self) {
      try anonymization.run(.file(path: path)) { _, _ in true }
    }
    #expect(anonymization.map.names.values.contains("Account"))
    // The next log adds to them.
    let next = #"{"event":"deinit","object":{"class":"Screen","id":"1"}}"# + "\n"
    _ = try anonymization.run(.file(path: folder.file("next", next))) { _, _ in true }
    #expect(Set(anonymization.map.names.values) == ["Account", "Screen"])
  }

  @Test("does not copy what cannot be read")
  func damage() throws {
    let log = """
      {"event":"deinit","object":{"class":"Account","id":"1"}}
      {"event":"deinit","object":{"class":"SecretClass","id":}
      {"event":"deinit","object":"SecretText"}
      {"event":"deinit","object":{"class":"SecretCut
      """
    let (text, _) = try anonymized(log)
    let dropped = #"{"event":"dropped","count":1,"why":"what stood here cannot be read"}"#
    #expect(!text.contains("Secret"))
    #expect(text.split(separator: "\n").dropFirst() == [dropped[...], dropped[...], dropped[...]])
  }

  @Test("of a binary log cut or changed anywhere gives no name of it")
  func binaryDamage() throws {
    let source = try folder.file("log", LogText.doubleRemove(process: 7) + LogText.exit)
    var whole: [UInt8] = []
    var conversion = LogConversion(of: .file(path: source), to: .binary)
    try conversion.run { part, _ in
      whole += part
      return true
    }
    // Each region that holds something, and each length.
    let places = whole.indices.filter { whole[$0] != 0 }
    for place in places {
      var changed = whole
      changed[place] ^= 0x41
      for bytes in [changed, Array(whole[..<place])] {
        var anonymization = LogAnonymization(key: try #require(AnonymizationKey(Self.key)))
        var copy: [UInt8] = []
        _ = try? anonymization.run(.file(path: folder.file("damaged", bytes))) { part, _ in
          copy += part
          return true
        }
        let text = String(decoding: copy, as: Unicode.ASCII.self)
        for name in ["Account", "Screen", "balance", "viewDidDisappear"] {
          #expect(!text.contains(name), "byte \(place)")
        }
      }
    }
  }

  /// Knows one function that is inlined into another.
  private final class Resolver: FrameResolver {
    func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
      guard module.path == "/bank/app" else { return [] }
      return ["Vault.open()", "Screen.show()"].enumerated().map { place, function in
        SourceFrame(
          function: function,
          swiftModule: "Bank",
          file: "/bank/Screen.swift",
          line: 10 + place,
          isInlined: place == 0
        )
      }
    }

    func problem(with module: Module) -> String? { nil }
  }

  @Test("looks addresses up, which no one else can, and forgets images with their process")
  func addresses() throws {
    let module =
      #"{"event":"module","path":"/bank/app","buildID":"00ff","loadBias":"0x0","textStart":"0x100","textEnd":"0x200"}"#
    func process(_ pid: Int) -> String {
      #"{"event":"process","schema":1,"pid":\#(pid),"started":"2026-02-03T04:05:06Z"}"#
    }
    let death =
      #"{"event":"deinit","object":{"class":"Account","id":"1"},"stack":["0x180","0x900"]}"#
    let log = [process(1), module, death, process(1), death, process(2), death]
    let (text, map) = try anonymized(log.joined(separator: "\n") + "\n", resolver: Resolver())
    let back = try restored(Array(text.utf8), by: map).split(separator: "\n")
    let named =
      #""stack":[{"address":"0x180","symbol":"Vault.open()","module":"Bank","file":"/bank/Screen.swift","line":10},{"address":"0x180","symbol":"Screen.show()","module":"Bank","file":"/bank/Screen.swift","line":11},"0x900"]"#
    #expect(back[2].hasSuffix(named + "}"))
    // The same process continues; the other one has no images.
    #expect(back[4] == back[2])
    #expect(String(back[6]) == death)
    #expect(!text.contains("ank") && !text.contains("Vault"))
  }

  @Test("a pseudonym is found wherever a text is cut while it is read")
  func chunks() throws {
    let map = PseudonymMap(names: ["Nabcdefghjkmn": "Account", "n0123456789ab": "say \"hi\""])
    let padding = String(repeating: "-", count: 300_000)
    let text = padding + "Nabcdefghjkmn#1 nabcdefghjkmn n0123456789ab Nabcdefghjkm"
    #expect(
      try restored(Array(text.utf8), by: map)
        == padding + "Account#1 account say \"hi\" Nabcdefghjkm"
    )
    for cut in 0..<90 {
      let restorer = NameRestorer(map)
      let bytes = Array(text.utf8.suffix(90))
      let first = restorer.restored(bytes[..<cut], isEscaped: false, isLast: false)
      let second = restorer.restored(
        first.rest + bytes[cut...],
        isEscaped: false,
        isLast: true
      )
      let whole = String(decoding: first.text + second.text, as: UTF8.self)
      #expect(whole.hasSuffix("Account#1 account say \"hi\" Nabcdefghjkm"), "\(cut)")
    }
    #expect(
      try restored(Array(#"{"a":"n0123456789ab"}"#.utf8), by: map) == #"{"a":"say \"hi\""}"#
    )
  }

  @Test("a map comes back as it was written, and another file is refused")
  func maps() throws {
    let map = PseudonymMap(names: ["Nabcdefghjkmn": "Grüße/\"x\"\n"])
    let path = try folder.file("map", map.bytes)
    #expect(try PseudonymMap(contentsOf: path) == map)
    for (text, words) in [
      ("{}", "not a map of names, as `kvo-audit anonymize --map` writes it"),
      ("x", "not a map of names"),
      (#"{"schema":2,"names":{}}"#, "a map of schema 2; this kvo-audit reads schema 1"),
    ] {
      let path = try folder.file("other", text)
      let failure = #expect(throws: InputFailure.self) { try PseudonymMap(contentsOf: path) }
      #expect(failure?.message.contains(words) == true)
    }
  }

  @Test("a key is long enough, or refused with the required length")
  func keys() throws {
    let short = try folder.file("short", "secret")
    let failure = #expect(throws: InputFailure.self) { try AnonymizationKey(contentsOf: short) }
    #expect(
      failure?.message.hasSuffix(
        "too short for a key: it has 6 bytes, and needs 16; name a file that is not there, and "
          + "one is made"
      ) == true
    )
    #expect(AnonymizationKey(AnonymizationKey.randomBytes()) != nil)
    #expect(AnonymizationKey.randomBytes() != AnonymizationKey.randomBytes())
  }
}
