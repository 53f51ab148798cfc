/// Turns an address of the recorded process into the functions and source lines that it belongs to.
///
/// The module that reads debug information and the module that replays logs do not depend on each other; this protocol
/// connects them.
package protocol FrameResolver: AnyObject {
  /// Looks up the source frames at the call that returns to `returnAddress`.
  ///
  /// - Parameters:
  ///   - returnAddress: an address in the recorded process, after the call instruction.
  ///   - module: the image of the recorded process that the address lies in.
  /// - Returns: the frames, innermost first. All except the last are `isInlined`; empty if nothing is known about the
  ///   address.
  /// - Complexity: O(log n) in the debug information of the module, which is read once.
  func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame]

  /// Looks up the source frames of many return addresses in one image.
  ///
  /// - Returns: for each address, in the order in which they were given, what ``frames(at:in:)``
  ///   returns.
  func frames(at returnAddresses: [UInt64], in module: Module) -> [[SourceFrame]]

  /// The names of the parameters and variables of the function at `returnAddress`; empty if they are not known.
  ///
  /// Of the functions that are inlined into it, only a closure to which it forwards the call adds its names.
  ///
  /// - Complexity: that of ``frames(at:in:)``, and O(n) in the entries of the function.
  func variables(at returnAddress: UInt64, in module: Module) -> [String]

  /// The reason why the resolver could not read `module`, as a sentence for the report, or nil.
  func problem(with module: Module) -> String?
}

extension FrameResolver {
  /// Looks up one address after the other.
  package func frames(at returnAddresses: [UInt64], in module: Module) -> [[SourceFrame]] {
    returnAddresses.map { frames(at: $0, in: module) }
  }

  /// Knows no variables.
  package func variables(at returnAddress: UInt64, in module: Module) -> [String] { [] }
}

/// A function and a source line of an address.
package struct SourceFrame: Hashable, Sendable {
  /// The function's name as a programmer reads it: demangled, without the module's name and
  /// without argument types if the name is Swift's (`Screen.viewDidDisappear()`).
  package var function: String
  /// The name of the Swift module that the function belongs to, from its mangled name; nil for C, C++ and Objective-C,
  /// and when the name does not contain it.
  package var swiftModule: String?
  /// The source file as the compiler was given it, or nil.
  package var file: String?
  /// The line in `file`, 1-based; 0 if it is not known.
  package var line: Int
  /// Whether the function was inlined into the next frame of the same address.
  package var isInlined: Bool

  package init(
    function: String,
    swiftModule: String?,
    file: String?,
    line: Int,
    isInlined: Bool
  ) {
    self.function = function
    self.swiftModule = swiftModule
    self.file = file
    self.line = line
    self.isInlined = isInlined
  }
}
