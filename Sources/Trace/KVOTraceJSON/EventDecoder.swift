import KVOTrace

/// Creates events from the JSON objects of one log.
///
/// Holds what spans lines: the names, and the generations of objects known by address. Names are
/// added in the order in which the keys are in a canonical line, so that ``CanonicalScanner`` makes
/// the same ids.
struct EventDecoder {
  var names: TraceNames
  private var addresses = AddressGenerations()

  init(names: TraceNames) {
    self.names = names
  }

  /// The event of one line, or nil if the line is of a kind that this code does not know.
  ///
  /// Complexity: O(length of the line).
  mutating func event(_ line: LineFields) throws(FieldError) -> Event? {
    let name = try line.required("event", line.text("event"))
    guard Grammar.isEvent(name) else { return nil }
    let time: UInt64? = try line.number("t")
    let thread: ThreadID? = try identifier("thread", line)
    let order: UInt64? = try line.number("order")
    guard let body = try body(name, line) else { return nil }
    let event = Event(
      body,
      time: time,
      thread: thread,
      order: order,
      stack: names.id(of: try frames(line)),
      scope: try identifier("scope", line)
    )
    if case .deinitEnd = body, let object = try line.fields("object"), object["id"] == nil,
      let address = try object.address("address")
    {
      addresses.end(address)
    }
    return event
  }
}

// MARK: - Values that need the tables

extension EventDecoder {
  /// ``StringID/none`` if the key is absent.
  mutating func string(_ key: String, _ line: LineFields) throws(FieldError) -> StringID {
    names.id(of: try line.text(key) ?? "")
  }

  mutating func requiredString(_ key: String, _ line: LineFields) throws(FieldError) -> StringID {
    names.id(of: try line.required(key, line.text(key)))
  }

  mutating func strings(_ key: String, _ line: LineFields) throws(FieldError) -> [StringID] {
    var ids: [StringID] = []
    for text in try line.texts(key) { ids.append(names.id(of: text)) }
    return ids
  }

  mutating func keyPaths(_ key: String, _ line: LineFields) throws(FieldError) -> [AffectingPath] {
    var paths: [AffectingPath] = []
    for text in try line.texts(key) { paths.append(names.affectingPath(text)) }
    return paths
  }

  mutating func identifier<Tag>(
    _ key: String,
    _ line: LineFields
  ) throws(FieldError) -> Identifier<Tag>? {
    guard let text = try line.textOrNumber(key) else { return nil }
    guard !text.isEmpty else { throw line.error(key, "\"\(key)\" is an empty text") }
    return names.identifier(text)
  }

  mutating func requiredIdentifier<Tag>(
    _ key: String,
    _ line: LineFields
  ) throws(FieldError) -> Identifier<Tag> {
    try line.required(key, identifier(key, line))
  }

  /// Distinguishes an absent key (the call has no such argument) from a null one.
  mutating func context(_ line: LineFields) throws(FieldError) -> Context {
    guard line.values["context"] != nil else { return .unspecified }
    guard let text = try line.textOrNumber("context") else { return .null }
    if text.isEmpty {
      throw line.error("context", "\"context\" is an empty text; the NULL context is null")
    }
    let isNull = text == "0" || UInt64(hexadecimal: text) == 0
    return isNull ? .null : .named(names.id(of: text))
  }

  mutating func object(_ key: String, _ line: LineFields) throws(FieldError) -> ObjectRef? {
    guard let fields = try line.fields(key) else { return nil }
    return try object(fields)
  }

  mutating func requiredObject(_ key: String, _ line: LineFields) throws(FieldError) -> ObjectRef {
    try line.required(key, object(key, line))
  }

  mutating func objects(_ key: String, _ line: LineFields) throws(FieldError) -> [ObjectRef] {
    var objects: [ObjectRef] = []
    for element in try line.list(key) {
      guard case .object(let values) = element else {
        throw line.error(key, "\"\(key)\" holds \(element.shown); it must hold objects only")
      }
      objects.append(try object(LineFields(values: values, path: line.path + [key])))
    }
    return objects
  }

  private mutating func object(_ fields: LineFields) throws(FieldError) -> ObjectRef {
    let className = try requiredString("class", fields)
    let kind: ObjectRef.Kind = try fields.choice("kind") ?? .object
    if let text = try fields.textOrNumber("id"), let id = addresses.id(spelled: text) {
      return ObjectRef(id: id, className: className, kind: kind)
    }
    if let id: ObjectID = try identifier("id", fields) {
      return ObjectRef(id: id, className: className, kind: kind)
    }
    guard let address = try fields.address("address") else {
      throw FieldError(
        keys: fields.path,
        message: "\"\(fields.path.last ?? "")\" has neither \"id\" nor \"address\""
      )
    }
    if address == 0 {
      throw fields.error("address", "\"address\" is 0, where no object is; leave the object out")
    }
    return ObjectRef(id: addresses.id(at: address), className: className, kind: kind)
  }

  /// One end of a reference: without a `kind`, its class determines its kind, or it is unknown.
  mutating func requiredEnd(
    _ key: String,
    _ line: LineFields,
    _ unsaid: inout Reference.Ends,
    _ end: Reference.Ends
  ) throws(FieldError) -> ObjectRef {
    var object = try requiredObject(key, line)
    guard try line.fields(key)?["kind"] == nil else { return object }
    guard let kind = ObjectRef.Kind(className: names[object.className]) else {
      unsaid.insert(end)
      return object
    }
    object.kind = kind
    return object
  }

  func options(_ line: LineFields) throws(FieldError) -> Registration.Options {
    var options: Registration.Options = []
    for name in try line.texts("options") {
      guard let named = Registration.Options.named.first(where: { $0.name == name }) else {
        let known = Registration.Options.named.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let shown = JSONValue.text(name).shown
        throw line.error("options", "\"options\" holds \(shown); it must hold \(known) only")
      }
      options.insert(named.option)
    }
    return options
  }

  /// The numbers of the codes of rules.
  func rules(_ key: String, _ line: LineFields) throws(FieldError) -> [UInt16] {
    guard line[key] != nil else {
      throw FieldError(keys: line.path, message: "the event has no \"\(key)\"")
    }
    var rules: [UInt16] = []
    for code in try line.texts(key) {
      let digits = code.utf8.dropFirst(3)
      guard code.hasPrefix("KVO"), digits.count == 3,
        digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt16(code.dropFirst(3))
      else {
        let shown = JSONValue.text(code).shown
        throw line.error(key, "\"\(key)\" holds \(shown); it must hold codes such as \"KVO001\"")
      }
      rules.append(number)
    }
    return rules
  }

  private mutating func frames(_ line: LineFields) throws(FieldError) -> [Frame] {
    var frames: [Frame] = []
    for element in try line.list("stack") {
      switch element {
      case .whole(let address): frames.append(Frame(address: address))
      case .text(let text): frames.append(frame(text))
      case .object(let values):
        frames.append(try frame(LineFields(values: values, path: line.path + ["stack"])))
      default:
        throw line.error(
          "stack",
          "\"stack\" holds \(element.shown); a frame is an address, a text or an object"
        )
      }
    }
    return frames
  }

  private mutating func frame(_ fields: LineFields) throws(FieldError) -> Frame {
    Frame(
      address: try fields.address("address") ?? 0,
      symbol: try string("symbol", fields),
      module: try string("module", fields),
      file: try string("file", fields),
      line: try fields.number("line") ?? 0
    )
  }

  /// A frame from `0x55d0c0de`, `-[Screen dealloc] (Screen.m:41)` or any other text.
  private mutating func frame(_ text: String) -> Frame {
    if let address = UInt64(hexadecimal: text) { return Frame(address: address) }
    if text.hasSuffix(")"), let open = text.lastIndex(of: "(") {
      let location = text[text.index(after: open)...].dropLast()
      if let (file, line) = SourceSite.fileAndLine(of: location) {
        var symbol = text[..<open]
        while symbol.last == " " { symbol.removeLast() }
        return Frame(
          symbol: names.id(of: String(symbol)),
          file: names.id(of: String(file)),
          line: line
        )
      }
    }
    return Frame(symbol: names.id(of: text))
  }
}
