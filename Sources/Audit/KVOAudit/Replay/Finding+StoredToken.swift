import KVORules

extension Finding {
  /// Whether its stacks show that the token was stored, and so was not dropped where it was handed out (KVO031).
  ///
  /// A token that nothing stored is released by a function that was running when it was handed out: the two stacks
  /// differ in the frame of that function, and in what it called to register. One that was stored goes with the object
  /// that has it, in the frames of a deinit, or in another method, such as `viewDidDisappear`. Its handler was not
  /// called because nothing changed. Stacks without any common frame prove nothing.
  ///
  /// Complexity: O(frames).
  var isOfStoredToken: Bool {
    guard code == .tokenDropped, let registered = stacks.first(where: { $0.role == .registered }),
      let dropped = stacks.first, dropped.role != .registered
    else { return false }
    let commonCount = zip(dropped.frames.reversed(), registered.frames.reversed())
      .prefix { $0.isSameCall(as: $1) }.count
    return commonCount > 0 && dropped.frames.count - commonCount > 1
  }
}

extension Finding.StackFrame {
  /// Whether both are the same call, by its return address if the log has it.
  fileprivate func isSameCall(as other: Self) -> Bool {
    address == other.address && symbol == other.symbol && file == other.file && line == other.line
  }
}
