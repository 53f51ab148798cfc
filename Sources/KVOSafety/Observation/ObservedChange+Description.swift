extension ObservedChange: CustomStringConvertible {
  /// The change in the layout in which Foundation prints the change dictionary.
  ///
  /// ```
  /// {
  ///     kind = 1;
  ///     new = after;
  ///     old = "two words";
  /// }
  /// ```
  ///
  /// - `kind` is the raw value of ``ObservedChangeKind``.
  /// - `new` and `old` are there if the change carries them. A requested value that is nil is `<null>` if the change
  ///   knows that (a value of an optional type); the change of an untyped observation prints nothing for it.
  /// - `indexes` and `notificationIsPrior` are there if they apply.
  ///
  /// - Complexity: O(length of the text). Runs the descriptions of the values.
  public var description: String {
    var entries: [(String, PropertyListText)] = []
    if let indexes { entries.append(("indexes", .text(Self.text(of: indexes)))) }
    entries.append(("kind", PropertyListText(kind.rawValue)))
    if let newValue { entries.append(("new", PropertyListText(newValue))) }
    if isPrior { entries.append(("notificationIsPrior", PropertyListText(1))) }
    if let oldValue { entries.append(("old", PropertyListText(oldValue))) }
    return PropertyListText.dictionary(entries).written()
  }

  /// Indexes as `NSIndexSet` describes them, without its class and address.
  private static func text(of indexes: RangeSet<Int>) -> String {
    let count = indexes.ranges.reduce(0) { $0 + $1.count }
    let ranges = indexes.ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound - 1)"
    }
    return "[number of indexes: \(count) (in \(ranges.count) ranges), "
      + "indexes: (\(ranges.joined(separator: " ")))]"
  }
}
