import KVORules

extension Finding {
  /// Whether its stacks show that the token was stored, and so was not dropped where it was handed out (KVO031).
  ///
  /// A token that nothing stored is released by a function that was running when it was handed out: the two stacks
  /// differ in the frame of that function, and in what it called to register. One that was stored goes with the object
  /// that has it, in the frames of a deinit, or in another method, such as `viewDidDisappear`. Its handler was not
  /// called because nothing changed.
  ///
  /// An asynchronous function has no callers on the stack: stacks without any common frame prove the same if the same
  /// function is the outermost of both, or if they have no function in common, so that the one that was running had
  /// returned. Otherwise they may have been cut at different depths, and prove nothing.
  ///
  /// Complexity: O(frames²).
  var isOfStoredToken: Bool {
    guard code == .tokenDropped, let registered = stacks.first(where: { $0.role == .registered }),
      let dropped = stacks.first, dropped.role != .registered
    else { return false }
    let commonCount = zip(dropped.frames.reversed(), registered.frames.reversed())
      .prefix { $0.isSameCall(as: $1) }.count
    guard dropped.frames.count - commonCount > 1 else { return false }
    return commonCount > 0 || dropped.isComparable(with: registered)
  }
}

extension Finding.Stack {
  /// Whether stacks without any common frame can be compared, because neither lacks its outermost frames.
  fileprivate func isComparable(with other: Self) -> Bool {
    guard let outermost = frames.last, let othersOutermost = other.frames.last else { return false }
    if outermost.isOfSameFunction(as: othersOutermost) { return true }
    guard (frames + other.frames).allSatisfy({ $0.symbol != nil }) else { return false }
    return !frames.contains { frame in other.frames.contains { $0.isOfSameFunction(as: frame) } }
  }
}

extension Finding.StackFrame {
  /// Whether both are the same call, by its return address if the log has it.
  fileprivate func isSameCall(as other: Self) -> Bool {
    address == other.address && symbol == other.symbol && file == other.file && line == other.line
  }

  /// Whether both are known to be in one function.
  fileprivate func isOfSameFunction(as other: Self) -> Bool {
    symbol != nil && symbol == other.symbol && file == other.file
  }
}
