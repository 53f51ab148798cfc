package import KVOAudit

/// Reads what was made of an anonymized log, and puts its names back: a report of any form, or the log.
package struct LogRestoration {
  private let restorer: NameRestorer

  package init(_ map: PseudonymMap) { restorer = NameRestorer(map) }

  /// Reads `input` to its end, and gives it with names to `output`.
  ///
  /// - Parameters:
  ///   - input: a binary log, or a text of any kind.
  ///   - output: takes the bytes.
  /// - Returns: how a binary log was read, with its damage, which is not in the output; nil for a text, which is copied as
  ///   it is.
  /// - Throws: ``InputFailure`` if it cannot be read. Some of it may have been written.
  /// - Complexity: O(bytes).
  @discardableResult
  package func run(
    _ input: AuditInput,
    _ output: LogConversion.Output
  ) throws(InputFailure) -> LogReading? {
    switch input {
    case .file(let path, let decompression):
      return try run(input, ByteSource(path: path, decompression: decompression), output)
    case .folder(let path): return try run(input, ByteSource(path: path), output)
    case .standardInput(let decompression, let beginning):
      let source = ByteSource(
        standardInputLabel: input.label,
        beginning: beginning,
        decompression: decompression
      )
      source.keepsStored = true
      return try run(input, source, output)
    case .events: preconditionFailure("events of this process have their own names")
    }
  }

  private func run(
    _ input: AuditInput,
    _ source: ByteSource,
    _ output: LogConversion.Output
  ) throws(InputFailure) -> LogReading? {
    var rest: ArraySlice<UInt8> = []
    var isOver = false
    // The first bytes may come in pieces.
    while !isOver, rest.count < InputKind.headByteCount {
      let chunk = try source.read()
      isOver = chunk.isEmpty
      rest += chunk
    }
    let kind = InputKind(head: rest)
    if kind == .binary {
      var conversion = LogConversion(
        of: Self.again(input, source),
        rewriting: EventRewriter(restorer, resolver: nil)
      )
      try conversion.run(output)
      return conversion.reading
    }
    if kind == nil, FileKind.isBinary(head: rest) {
      throw InputFailure(
        input: input.label,
        reason: "neither text nor a usage log: \(FileKind.binaryReason)"
      )
    }
    source.keepsStored = false
    let isJSON = rest.first { $0 > 0x20 }.map { $0 == UInt8(ascii: "{") } ?? false
    while true {
      let next = try isOver ? [] : source.read()
      rest += next
      let (text, held) = restorer.restored(rest, isEscaped: isJSON, isLast: next.isEmpty)
      if !text.isEmpty, !output(text, .jsonLines) { return nil }
      if next.isEmpty {
        guard let damage = source.damage else { return nil }
        throw InputFailure(input: input.label, reason: damage.reason)
      }
      rest = held
    }
  }

  /// `input` to be read from its beginning: standard input gives its bytes only once.
  private static func again(_ input: AuditInput, _ source: ByteSource) -> AuditInput {
    guard case .standardInput(let decompression, let beginning) = input else { return input }
    return .standardInput(decompression: decompression, beginning: beginning + source.stored)
  }
}
