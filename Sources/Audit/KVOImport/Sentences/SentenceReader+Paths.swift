import KVORules

/// The sentences that name an observer, a key path and an observed object.
extension SentenceReader {
  /// Cannot remove, or update for, an observer.
  func pathSentence(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let isGNUstep = match.head == .cannotRemoveGNUstep
    let path =
      isGNUstep
      ? text.skeleton.first("forkeypath", in: window)
      : text.skeleton.first("forthekeypath", in: window)
    let pathLength = isGNUstep ? 10 : 13
    let unregistered = text.skeleton.first(
      isGNUstep ? "asitisnotaregisteredobserver" : "becauseitisnotregisteredasanobserver",
      in: window
    )
    let silent =
      isGNUstep ? nil : text.skeleton.first("mostlikelybecausethevalueforthekey", in: window)
    let cut = min(window.upperBound, text.skeleton.count)
    let silentCut =
      isGNUstep
      ? nil : lengthCut(of: "mostlikelybecausethevalueforthekey", before: cut, least: 4)
    if isGNUstep, unregistered == nil, !isCut(at: cut) { return nil }
    let tail = [unregistered, silent, silentCut.map { cut - $0 }].compactMap(\.self).min()
    let isSilentChange =
      match.head == .cannotUpdate
      || tail != nil && (tail == silent || tail == silentCut.map { cut - $0 })
    var complaint = Complaint(
      kind: isSilentChange
        ? .silentChange(whileRemoving: match.head != .cannotUpdate) : .removal,
      code: isSilentChange ? .mutationWithoutNotification : .removeUnregistered,
      range: position(match.offsets.lowerBound)..<end(match.offsets.upperBound)
    )
    complaint.runtime = isGNUstep ? .gnustep : .apple
    // A path that is after the end belongs to the next sentence.
    let ownPath = path.flatMap { offset in tail.map { offset < $0 } ?? true ? offset : nil }
    let headEnd = end(match.offsets.upperBound)
    let observerEnd = ownPath ?? tail ?? min(window.upperBound, match.offsets.upperBound + 80)
    complaint.observer = operand(headEnd..<max(headEnd, position(observerEnd)))
    if let ownPath {
      let pathEnd = end(ownPath + pathLength)
      let quoted = quoted(at: pathEnd)
      complaint.keyPath = keyPath(quoted?.text)
      complaint.subject = subject(from: quoted?.end ?? pathEnd, tail: tail, window)
      complaint.range = complaint.range.lowerBound..<(quoted?.end ?? pathEnd)
    }
    if let tail {
      complaint.range = complaint.range.lowerBound..<max(complaint.range.upperBound, position(tail))
    }
    if isSilentChange, let silent {
      complaint.part = keyPath(quoted(at: end(silent + 34))?.text)
    }
    // Cut before its reason, the sentence about a longer path may be either.
    if tail == nil, !isSilentChange, complaint.keyPath?.contains(".") == true {
      complaint.confidence = .low
    }
    if ownPath == nil, let tail, tail - match.offsets.upperBound < 60,
      text.skeleton.last(
        "nsrangeexception",
        in: max(0, match.offsets.lowerBound - 100)..<match.offsets.lowerBound
      ) != nil
    {
      // The objects were left out: `Cannot remove an observer (…) because …`.
      complaint.observer = Operand()
      complaint.confidence = .low
      return complaint
    }
    return isNotified(complaint, hasPath: ownPath != nil, hasTail: tail != nil) ? complaint : nil
  }

  private func subject(from start: Int, tail: Int?, _ window: Range<Int>) -> Operand {
    let offset = text.skeletonOffset(at: start)
    guard text.skeleton.has("from", at: offset) else { return Operand() }
    let from = end(offset + 4)
    let stop = tail.map(position) ?? min(position(window.upperBound), from + 200)
    return operand(from..<max(from, stop))
  }

  /// Whether the wording is complete enough to be the runtime's, not a person's description.
  private func isNotified(_ complaint: Complaint, hasPath: Bool, hasTail: Bool) -> Bool {
    if complaint.observer.isPlaceholder || complaint.subject.isPlaceholder { return false }
    if complaint.keyPath?.contains("%") == true { return false }
    if hasPath, hasTail { return true }
    if complaint.runtime == .gnustep { return complaint.observer.address != nil }
    if hasPath { return complaint.observer.isKnown || complaint.subject.address != nil }
    return complaint.observer.address != nil
  }
}
