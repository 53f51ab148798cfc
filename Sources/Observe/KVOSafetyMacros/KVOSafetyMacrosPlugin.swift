#if Macros
internal import SwiftCompilerPlugin
internal import SwiftSyntaxMacros

/// The program that the compiler runs to expand the macros that KVOSafety declares.
@main
struct KVOSafetyMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    KeyValueObservableMacro.self, KeyValueMacro.self, KeyValueStoredMacro.self,
    KeyValueNotifyingMacro.self, KeyValueOverriddenMacro.self, KeyValueDirectMacro.self,
    KeyValueDeprecatedMacro.self, KeyPathNameMacro.self,
  ]
}
#else
/// Without the trait there is nothing to expand; a macro target is still a program.
@main
enum NoMacros {
  static func main() {}
}
#endif
