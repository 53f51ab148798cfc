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
    let library = OpenedLibrary(path: path, prefix: "teller_")
    account = library.find("account")
    array = library.find("array")
    release = library.find("release")
    setBalance = library.find("set_balance")
    setOwner = library.find("set_owner")
    owner = library.find("owner")
    rename = library.find("rename")
    enter = library.find("enter")
    isObserved = library.find("is_observed")
    watch = library.find("watch")
  }
}
