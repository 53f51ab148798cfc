internal import CKVORetention
internal import KVORetainRegistry
internal import KVOTrace

/// Says where a closure was written.
struct CodeNamer {
  /// What is known of a closure's code.
  struct Site {
    var function: String
    /// File and line (`Screen.swift:20`), or nil.
    var line: String?
  }

  let names: CodeNames?
  let memory: MemoryMap

  /// Where the code of a closure is from, or nil where nothing is known.
  ///
  /// `word` is the first word of a closure: the address of code, or of what describes asynchronous
  /// code.
  func site(of word: UInt) -> Site? {
    guard let names, let code = code(word),
      let frame = names.frames(atInstruction: UInt64(code)).last
    else { return nil }
    let function = Self.plain(frame.function)
    if let line = Self.line(frame) { return Site(function: function, line: line) }
    // What unpacks a context and goes on to the closure has no line of its own, nor has its second half,
    // into which the bytes of a distance may seem to jump.
    for target in CallTargets(of: code, memory: memory) {
      if let inner = names.frames(atInstruction: UInt64(target)).last,
        Self.plain(inner.function) == function, let line = Self.line(inner)
      {
        return Site(function: function, line: line)
      }
    }
    return Site(function: function, line: nil)
  }

  /// How a programmer calls a capture of a type: `self`, where the closure is written in a method of
  /// that very type and captures nothing else of it.
  func captureName(_ type: String, isOnly: Bool, in site: Site?) -> String {
    guard isOnly, let function = site?.function, function.contains("closure #"),
      let method = function.split(separator: " in ").last, !method.hasPrefix("static ")
    else { return type }
    // `ViewModel.start()`, `Outer.ViewModel.start()`; before the arguments of a free function there is
    // no dot.
    let path = method.prefix { $0 != "(" }.split(separator: ".")
    let base = type.prefix { $0 != "<" }
    return path.count >= 2 && path[path.count - 2].prefix { $0 != "<" } == base ? "self" : type
  }

  /// The address of the code itself.
  private func code(_ word: UInt) -> UInt? {
    if memory.isCode(word) { return word }
    // Asynchronous code: the distance to it stands in front of the size of its context.
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
