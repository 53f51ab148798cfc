#if Macros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import KVOSafetyMacros

/// What the macros say of a source, whatever they expand it to.
final class Said {
  private(set) var messages: [String] = []
  /// Line and column of each message.
  private(set) var positions: [String] = []
  /// The fix-its that are offered, of all messages.
  private(set) var fixIts: [String] = []
  /// The source after the fix-it.
  private(set) var fixed: String?

  private static let specs: [String: MacroSpec] = [
    "KeyValueObservable": MacroSpec(
      type: KeyValueObservableMacro.self,
      conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("KeyValueObservable")))]
    ),
    "KeyValue": MacroSpec(type: KeyValueMacro.self),
    "keyPathName": MacroSpec(type: KeyPathNameMacro.self),
  ]

  /// Expands `source`, and applies the fix-it of that text to it.
  func expand(_ source: String, applying fixIt: String?) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")]
    )
    _ = file.expand(
      macroSpecs: Self.specs,
      contextGenerator: { node in
        BasicMacroExpansionContext(
          sharingWith: context,
          lexicalContext: node.allMacroLexicalContexts()
        )
      }
    )
    for diagnostic in context.diagnostics {
      messages.append(diagnostic.message)
      let place = context.location(
        for: diagnostic.position,
        anchoredAt: diagnostic.node,
        fileName: "Test.swift"
      )
      positions.append("\(place.line):\(place.column)")
      fixIts += diagnostic.fixIts.map(\.message.message)
    }
    guard let fixIt else { return }
    var lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(Substring.init)
    for diagnostic in context.diagnostics {
      for offered in diagnostic.fixIts where offered.message.message == fixIt {
        for edit in offered.edits {
          let places = [edit.range.lowerBound, edit.range.upperBound].map {
            context.location(for: $0, anchoredAt: diagnostic.node, fileName: "Test.swift")
          }
          lines = replacing(lines, from: places[0], to: places[1], by: edit.replacement)
        }
      }
    }
    fixed = lines.joined(separator: "\n")
  }

  /// The lines, with the text between two positions replaced; columns count bytes from 1.
  private func replacing(
    _ lines: [Substring],
    from start: SourceLocation,
    to end: SourceLocation,
    by text: String
  ) -> [Substring] {
    let before = lines[start.line - 1].utf8.prefix(start.column - 1)
    let after = lines[end.line - 1].utf8.dropFirst(end.column - 1)
    let changed = "\(Substring(before))\(text)\(Substring(after))"
    return lines.prefix(start.line - 1)
      + changed.split(separator: "\n", omittingEmptySubsequences: false)
      + lines.dropFirst(end.line)
  }
}
#endif
