extension Finding {
  /// The image (program, library or bundle) whose code registered the observer, by its path, or nil if no stack shows
  /// it.
  ///
  /// For a finding without a registration it is the image that made the call at fault, such as a removal of an observer
  /// that was never added. The call of an own frame counts; if a stack has none, its innermost frame.
  ///
  /// Complexity: O(frames).
  package var registeringImage: String? {
    (stacks.first { $0.role == .registered && $0.image != nil } ?? stacks.first)?.image
  }
}

extension Finding.Stack {
  /// The image of the innermost own frame, or of the innermost if there is none; nil: unknown.
  ///
  /// Complexity: O(frames).
  package var image: String? { (frames.first(where: \.isFirstOwn) ?? frames.first)?.module }
}
