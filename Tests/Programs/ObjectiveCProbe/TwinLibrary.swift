import Glibc

/// The functions in C of `Twin.m`, which the tests build as a library.
struct TwinLibrary: Sendable {
  typealias Object = UnsafeMutableRawPointer

  let make: @convention(c) (Int32) -> Object
  let cut: @convention(c) (Object) -> Void
  let release: @convention(c) (Object) -> Void
  let setValue: @convention(c) (Object, Int32) -> Void
  let bump: @convention(c) (Object) -> Void
  let setNext: @convention(c) (Object, Object?) -> Void
  let setOther: @convention(c) (Object, Object?) -> Void
  let setItems: @convention(c) (Object, Int32) -> Void
  let insert: @convention(c) (Object, Int32, Int32) -> Void
  let remove: @convention(c) (Object, Int32) -> Void
  let itemCount: @convention(c) (Object) -> Int32
  private let describe: @convention(c) (Object, UnsafeMutablePointer<CChar>, Int) -> Void

  /// Opens the library, and with it Objective-C.
  init(library path: String) {
    guard let library = dlopen(path, RTLD_NOW) else { fatalError(String(cString: dlerror())) }
    func find<Function>(_ name: String) -> Function {
      guard let symbol = dlsym(library, "twin_\(name)") else { fatalError("no \(name)") }
      return unsafeBitCast(symbol, to: Function.self)
    }
    make = find("make")
    cut = find("cut")
    release = find("release")
    setValue = find("set_value")
    bump = find("bump")
    setNext = find("set_next")
    setOther = find("set_other")
    setItems = find("set_items")
    insert = find("insert")
    remove = find("remove")
    itemCount = find("item_count")
    describe = find("describe")
  }

  /// What a value of a change is.
  func text(of value: Object) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      describe(value, start, buffer.count)
      return String(cString: start)
    }
  }
}
