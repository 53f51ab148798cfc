import KVOTrace
import Testing

@Suite("The names of a log") struct TraceNamesTests {
  @Test("are numbered from 1 without gaps, and come back as they were")
  func strings() {
    var names = TraceNames()
    #expect(names.id(of: "") == .none)
    // Of every length around the steps in which bytes are hashed and compared, each in two ways
    // that differ in one byte.
    var texts: [String] = []
    for length in 1...200 {
      for place in [0, length - 1] {
        var bytes = (0..<length).map { 0x61 + UInt8($0 % 7) }
        bytes[place] = 0x78
        texts.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    let distinct = Set(texts)
    for text in texts { _ = names.id(of: text) }
    #expect(names.stringCount == distinct.count)
    for text in texts {
      #expect(names[names.id(of: text)] == text)
    }
    #expect(names.stringCount == distinct.count)
    #expect(names[StringID.none] == "")
  }

  @Test("are known by their bytes, from wherever these come")
  func bytes() {
    var names = TraceNames()
    let one = names.id(of: "caf\u{e9}")
    let two = names.id(of: "cafe\u{301}")
    #expect(one != two, "The log spells them differently.")
    #expect(names[two].unicodeScalars.count == 5)
    let text = Array("+ caf\u{e9} +".utf8)
    #expect(text[2..<7].withUnsafeBytes { names.id(ofUTF8: $0) } == one)
    #expect(names.stringCount == Int(two.rawValue))
    #expect(names.id(of: "a\u{0}") != names.id(of: "a"))
  }

  @Test("of many stacks are numbered likewise")
  func stacks() {
    var names = TraceNames()
    #expect(names.id(of: []) == .none)
    let symbol = names.id(of: "f")
    var stacks: [[Frame]] = []
    for number in 1...300 {
      var stack: [Frame] = []
      for index in 0...number % 20 {
        var frame = Frame(address: UInt64(number * 100 + index))
        if index % 3 == 2 { (frame.symbol, frame.line) = (symbol, UInt32(index)) }
        stack.append(frame)
      }
      stacks.append(stack)
    }
    let ids = stacks.map { names.id(of: $0) }
    #expect(ids.map(\.rawValue) == Array(1...300))
    #expect(stacks.map { names.id(of: $0) } == ids)
    #expect(ids.map { names[$0] } == stacks)
    #expect(ids.map { Array(names.frames(of: $0)) } == stacks)
    // All that a frame has counts.
    let frame = Frame(address: 1, symbol: symbol, module: symbol, file: symbol, line: 1)
    var others = Array(repeating: frame, count: 6)
    others[1].address = 2
    others[2].symbol = .none
    others[3].module = .none
    others[4].file = .none
    others[5].line = 2
    #expect(Set(others.map { names.id(of: [$0]) }).count == 6)
  }

  @Test("of a copy are its own")
  func copies() {
    var names = TraceNames()
    _ = names.id(of: "shared")
    var other = names
    let mine = names.id(of: "mine")
    let its = other.id(of: "its")
    #expect(mine == its)
    #expect(names[mine] == "mine")
    #expect(other[its] == "its")
    #expect(other.id(of: "shared") == names.id(of: "shared"))
  }

  @Test("that are taken back have never been", arguments: [0, 1, 5, 100, 3000])
  func takingBack(count: Int) {
    var names = TraceNames()
    func add(_ prefix: String, _ count: Int) {
      for number in 0..<count {
        let id = names.id(of: "\(prefix)\(number)")
        _ = names.id(of: [Frame(address: UInt64(number), symbol: id)])
      }
    }
    add("kept", 50)
    let mark = names.mark
    // Enough to make the tables grow, in some of the cases.
    add("forgotten", count)
    names.removeAll(after: mark)
    #expect(names.stringCount == 50)
    #expect(names.stackCount == 50)
    add("kept", 50)
    #expect(names.stringCount == 50, "What was there is still found.")
    #expect(names.stackCount == 50)
    add("new", count)
    #expect(names.stringCount == 50 + count)
    #expect(names[StringID(rawValue: 50)] == "kept49")
    #expect(names.id(of: "forgotten0") == StringID(rawValue: UInt32(51 + count)))
  }

  @Test("that another table numbered keep its numbers")
  func appending() {
    var names = TraceNames()
    for number in 1...40 {
      names.append("text \(number)")
      names.append([Frame(address: UInt64(number))])
    }
    #expect(names.id(of: "text 40") == StringID(rawValue: 40))
    #expect(names.id(of: [Frame(address: 40)]) == StackID(rawValue: 40))
    // A table that breaks its promise costs an id, no more.
    names.append("text 7")
    names.append([Frame(address: 7)])
    names.append("")
    #expect(names.stringCount == 42)
    #expect(names.stackCount == 41)
    #expect(names[StringID(rawValue: 41)] == "text 7")
    #expect(names.id(of: "text 7") == StringID(rawValue: 7))
    #expect(names.id(of: [Frame(address: 7)]) == StackID(rawValue: 7))
    #expect(names.id(of: "") == .none)
  }

  @Test("that spell numbers are not names")
  func identifiers() {
    var names = TraceNames()
    let spellings = [
      "0", "7", "07", "-1", "+1", "4611686018427387903", "4611686018427387904", "1\u{301}", "x",
    ]
    let ids: [ObjectID] = spellings.map { names.identifier($0) }
    #expect(ids.map { names.text(of: $0) } == spellings)
    #expect(
      ids.map(\.number) == [0, 7, nil, nil, nil, 4_611_686_018_427_387_903, nil, nil, nil]
    )
  }

  @Test("knows the classes that runtimes made for observing, and what they made them of")
  func notifyingClasses() {
    var names = TraceNames()
    var classes = NotifyingClasses()
    #expect(classes.update(from: names).isEmpty)
    let apple = names.id(of: "NSKVONotifying_Account")
    let mark = names.mark
    let gnustep = names.id(of: "GSKVOAccount")
    names.removeAll(after: mark)
    #expect(names.notifyingClasses == [apple] && gnustep != apple)
    #expect(classes.update(from: names) == [apple: apple])
    #expect(classes.update(from: names).isEmpty)
    let account = names.id(of: "Account")
    #expect(classes.update(from: names) == [apple: account])
    names.append("GSKVOAccount")
    #expect(classes.update(from: names) == [names.id(of: "GSKVOAccount"): account])
    let bare = names.id(of: "NSKVONotifying_")
    #expect(classes.update(from: names) == [bare: bare])
    #expect(classes.update(from: names).isEmpty)
  }
}
