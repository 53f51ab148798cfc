#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import KVOSafetyMacros

/// Expands the macros in `source` and compares the text and what the macros say.
///
/// A class that `conforms` already is a subclass of an observable one. The fix-its of these texts are
/// applied, all of them where it is nil, and give `fixed`.
func expectExpansion(
  of source: String,
  as expanded: String,
  conforms: Bool = false,
  diagnostics: [DiagnosticSpec] = [],
  applying fixIts: [String]? = nil,
  fixed: String? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) {
  assertMacroExpansion(
    source,
    expandedSource: expanded,
    diagnostics: diagnostics,
    macroSpecs: [
      "KeyValueObservable": MacroSpec(
        type: KeyValueObservableMacro.self,
        conformances: conforms ? [] : ["KeyValueObservable"]
      ),
      "_KeyValueStored": MacroSpec(type: KeyValueStoredMacro.self),
      "_KeyValueNotifying": MacroSpec(type: KeyValueNotifyingMacro.self),
      "keyPathName": MacroSpec(type: KeyPathNameMacro.self),
    ],
    applyFixIts: fixIts,
    fixedSource: fixed,
    indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record(
        Comment(rawValue: failure.message),
        sourceLocation: SourceLocation(
          fileID: failure.location.fileID,
          filePath: failure.location.filePath,
          line: failure.location.line,
          column: failure.location.column
        )
      )
    },
    fileID: fileID,
    filePath: filePath,
    line: line,
    column: column
  )
}
#endif
