import Glibc

/// The functions in C of `Teller.m`, which the tests build as a library.
struct Teller: Sendable {
  typealias Object = UnsafeMutableRawPointer

  let account: @convention(c) () -> Object
  let array: @convention(c) () -> Object
  let release: @convention(c) (Object) -> Void
  let setBalance: @convention(c) (Object, Int32) -> Void
  let setOwner: @convention(c) (Object, UnsafePointer<CChar>) -> Void
  let owner: @convention(c) (Object) -> Object
  let rename: @convention(c) (Object, UnsafePointer<CChar>) -> Void
  let enter: @convention(c) (Object, UnsafePointer<CChar>) -> Void
  let isObserved: @convention(c) (Object) -> Int32
  let watch: @convention(c) (Object) -> Void

  /// Opens the library, and with it Objective-C.
  init(library path: String) {
    guard let library = dlopen(path, RTLD_NOW) else { fatalError(String(cString: dlerror())) }
    func find<Function>(_ name: String) -> Function {
      guard let symbol = dlsym(library, "teller_\(name)") else { fatalError("no \(name)") }
      return unsafeBitCast(symbol, to: Function.self)
    }
    account = find("account")
    array = find("array")
    release = find("release")
    setBalance = find("set_balance")
    setOwner = find("set_owner")
    owner = find("owner")
    rename = find("rename")
    enter = find("enter")
    isObserved = find("is_observed")
    watch = find("watch")
  }
}
