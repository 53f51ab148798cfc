internal import CKVORetention
internal import KVORetainRegistry
internal import KVOTrace

/// Finds the source location of a closure.
struct CodeNamer {
  /// The function and line of a closure's code.
  struct Site {
    var function: String
    /// File and line (`Screen.swift:20`), or nil.
    var line: String?
    /// An address in the function; 0 for a task.
    var code: UInt = 0
  }

  let names: CodeNames?
  let memory: MemoryMap

  /// The source location of a closure's code, or nil if it is not known.
  ///
  /// `word` is the first word of a closure: the address of its code, or of the descriptor of an
  /// asynchronous function.
  func site(of word: UInt) -> Site? {
    guard let names, let code = code(word),
      let frame = names.frames(atInstruction: UInt64(code)).last
    else { return nil }
    let function = Self.plain(frame.function)
    if let line = Self.line(frame) { return Site(function: function, line: line, code: code) }
    // The function that unpacks a context and continues with the closure has no line. Neither has
    // its second half, which a misread distance may seem to be the target of.
    for target in CallTargets(of: code, memory: memory) {
      if let inner = names.frames(atInstruction: UInt64(target)).last,
        Self.plain(inner.function) == function, let line = Self.line(inner)
      {
        return Site(function: function, line: line, code: target)
      }
    }
    return Site(function: function, line: nil, code: code)
  }

  /// Where a task waits: the innermost of its functions that has a line and is not the iterator of a
  /// sequence, and, if it is another, the line of the task's closure (`Feed.swift:64 from
  /// Screen.swift:20`); nil if none has a line.
  func waitingSite(_ continuations: [UInt]) -> Site? {
    guard let names else { return nil }
    let sites = continuations.compactMap { lineSite(of: $0, names) }
    guard var site = sites.first(where: { !$0.function.contains(".next(") }) ?? sites.first,
      let line = site.line
    else { return nil }
    if let outer = sites.last?.line, outer != line { site.line = "\(line) from \(outer)" }
    return site
  }

  /// The number of bytes of a function that are searched for a line.
  private static let siteByteCount: UInt = 256

  /// The first line of the code with which a function continues after a wait; nil if it has none.
  ///
  /// The compiler's own instructions, with which it begins, have no line.
  private func lineSite(of code: UInt, _ names: CodeNames) -> Site? {
    var function: String?
    for address in stride(from: code, to: code + Self.siteByteCount, by: 4) {
      guard let frame = names.frames(atInstruction: UInt64(address)).last else { return nil }
      guard function == nil || function == frame.function else { return nil }
      function = frame.function
      if let line = Self.line(frame) {
        return Site(function: Self.plain(frame.function), line: line)
      }
    }
    return nil
  }

  /// The name of a capture with a type.
  ///
  /// It is `self` if the closure is written in a method of this type, has no other capture of it, and is
  /// known to have a variable of that name: a method may also capture another object of its type.
  func captureName(_ type: String, isOnly: Bool, in site: Site?) -> String {
    guard isOnly, let function = site?.function, function.contains("closure #"),
      let method = function.split(separator: " in ").last, !method.hasPrefix("static ")
    else { return type }
    // `ViewModel.start()`, `Outer.ViewModel.start()`; the name of a free function has no dot before
    // the arguments.
    let path = method.prefix { $0 != "(" }.split(separator: ".")
    let base = type.prefix { $0 != "<" }
    guard path.count >= 2, path[path.count - 2].prefix(while: { $0 != "<" }) == base else {
      return type
    }
    let variables = site.flatMap { names?.variables(atInstruction: UInt64($0.code)) }
    return variables?.contains("self") == true ? "self" : type
  }

  /// The address of the code.
  private func code(_ word: UInt) -> UInt? {
    if memory.isCode(word) { return word }
    // An asynchronous function: the descriptor has the distance to the code, and then the size of
    // its context.
    guard memory.isInImage(word, 8), word & 3 == 0,
      let field = UnsafePointer<Int32>(bitPattern: word), let code = kvos_relative(field)
    else { return nil }
    let address = UInt(bitPattern: code)
    return memory.isCode(address) ? address : nil
  }

  private static func line(_ frame: SourceFrame) -> String? {
    guard let file = frame.file, frame.line > 0 else { return nil }
    return "\(file.split(separator: "/").last.map(String.init) ?? file):\(frame.line)"
  }

  private static func plain(_ function: String) -> String {
    let prefix = "partial apply for "
    return function.hasPrefix(prefix) ? String(function.dropFirst(prefix.count)) : function
  }
}
