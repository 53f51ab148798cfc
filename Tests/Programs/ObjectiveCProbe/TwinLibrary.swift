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
    let library = OpenedLibrary(path: path, prefix: "twin_")
    make = library.find("make")
    cut = library.find("cut")
    release = library.find("release")
    setValue = library.find("set_value")
    bump = library.find("bump")
    setNext = library.find("set_next")
    setOther = library.find("set_other")
    setItems = library.find("set_items")
    insert = library.find("insert")
    remove = library.find("remove")
    itemCount = library.find("item_count")
    describe = library.find("describe")
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
