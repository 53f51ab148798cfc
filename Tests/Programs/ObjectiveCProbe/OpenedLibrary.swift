import Glibc

/// A library with functions in C, all of which have one prefix, that stays open.
struct OpenedLibrary {
  private let handle: UnsafeMutableRawPointer
  private let prefix: String

  /// Opens the library, and with it Objective-C.
  ///
  /// Ends the process if that fails.
  init(path: String, prefix: String) {
    guard let handle = dlopen(path, RTLD_NOW) else { fatalError(String(cString: dlerror())) }
    self.handle = handle
    self.prefix = prefix
  }

  /// The function of that name, without the prefix.
  ///
  /// Ends the process if there is none.
  func find<Function>(_ name: String) -> Function {
    guard let symbol = dlsym(handle, prefix + name) else { fatalError("no \(prefix)\(name)") }
    return unsafeBitCast(symbol, to: Function.self)
  }
}
