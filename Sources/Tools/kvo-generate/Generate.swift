import Foundation
import KVOSchema

/// Writes what is made from the schema, and the list of this package's modules.
///
///     kvo-generate REPOSITORY OUTPUT
///
/// Every file is written under OUTPUT at its path in REPOSITORY. Of a document or a script, what is outside the
/// marks is that of REPOSITORY.
@main
enum Generate {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let repository = arguments.first, let output = arguments.last else {
      FileHandle.standardError.write(Data("usage: kvo-generate REPOSITORY OUTPUT\n".utf8))
      exit(64)
    }
    for body in Body.all { body.validate() }
    let whole = [
      "Sources/Trace/KVOTrace/Generated/EventNames.swift": NamesText.eventNames,
      "Sources/Record/KVORecorder/Generated/RecordShapes.swift": BinaryWriterText.shapes,
      "Sources/Trace/KVOTrace/Generated/RecordKinds.swift": NamesText.recordKinds,
      "Sources/Trace/KVOTrace/Generated/BinaryNumbers.swift": NamesText.choices,
      "Sources/Trace/KVOTrace/Generated/RecordFieldWriter+Events.swift": BinaryWriterText.text,
      "Sources/Trace/KVOTraceBinary/Generated/BinaryRecordDecoder+Events.swift": BinaryReaderText
        .text,
      "Sources/Trace/KVOTraceJSON/Generated/JSONLinesWriter+Events.swift": LineWriterText.text,
      "Sources/Trace/KVOTraceJSON/Generated/CanonicalKind.swift": NamesText.canonicalKinds,
      "Sources/Trace/KVOTraceJSON/Generated/CanonicalScanner+Events.swift": CanonicalText.text,
      "Sources/Trace/KVOTraceJSON/Generated/EventDecoder+Events.swift": DecoderText.text,
      "Sources/Trace/KVOTraceJSON/Generated/CanonicalScanner+Words.swift": CanonicalText.words,
      "Sources/Trace/KVOTraceJSON/Generated/Grammar+Events.swift": NamesText.grammar,
      "Sources/Record/CKVORecorder/include/KVOSFields.h": CHeaderText.fields,
      "Sources/Record/CKVORecorder/include/KVOSNumbers.h": CHeaderText.numbers,
      "Sources/Tools/KVOLogTools/Generated/EventRewriter+Events.swift": RewriterText.text,
      "Sources/Judge/KVORules/Generated/SystemNames+PackageModules.swift":
        try ModulesText.text(of: repository),
    ]
    for (path, text) in whole { try write(text, to: path, in: output) }
    let marked = [
      "Documentation/Anonymizing.md": { _ in "\n\(AnonymizingText.table)\n" },
      "Documentation/LogFormat.md": { "\n\(LogFormatText.table(of: $0))\n" },
      "Documentation/BinaryLogFormat.md": { _ in "\n\(BinaryFormatText.text)\n" },
      "Documentation/read_kvolog.py": { _ in PythonText.text },
    ]
    for (path, table) in marked {
      let file = URL(filePath: repository).appending(path: path)
      let text = try String(contentsOf: file, encoding: .utf8)
      try write(MarkedText.replacing(in: text, table), to: path, in: output)
    }
  }

  private static func write(_ text: String, to path: String, in folder: String) throws {
    let file = URL(filePath: folder).appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}
