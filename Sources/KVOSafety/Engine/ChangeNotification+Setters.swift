internal import KVORecorder
internal import KVORules
internal import KVOTrace

// Both halves of a change that a setter makes.
extension ChangeNotification {
  /// State that a setter keeps between the two halves, which run on one thread.
  ///
  /// Not an optional, nor made of optionals: their cost is measurable in every recorded set.
  @usableFromInline
  struct SetterChange {
    fileprivate let setters: OpenSetters
    fileprivate let number: UInt64
    fileprivate let isRecorded: Bool
    /// Whether an open change covers it, so that no observer is notified.
    let isCovered: Bool
    /// The old values, of observations that want more than the setter knows.
    fileprivate let oldValues: [OldValue]

    /// The number of the change, if it is recorded.
    var id: ChangeID? { isRecorded ? ChangeID(number) : nil }
  }

  /// The first half.
  @inline(__always)
  static func willSet(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ values: SetterValues
  ) -> SetterChange {
    let setters = ThreadChanges.settersOfThisThread
    guard setters.coveringCount == 0, setters.hasRoom, Recorder.shared.isRecording,
      !storage.published.mayConcernBefore(key)
    else { return willSetConcerning(subject, storage, key: key, values) }
    // Only the log needs the change here.
    let id = setters.nextChange()
    let word = storage.beginChange()
    let subject = storage.record.ref
    if word.isOnlyOpen {
      Recorder.shared.recordSetting(of: key, subject, id, isEnd: false, order: word.order)
      let scope = RecordingScope.current
      setters.enter(.init(subject: subject, key: key, id: id, order: word.order, scope: scope))
    } else {
      announce(Change(subject: subject, key: key, id: id), word, in: storage)
    }
    return SetterChange(
      setters: setters,
      number: id.rawValue,
      isRecorded: true,
      isCovered: false,
      oldValues: []
    )
  }

  @inline(never)
  private static func willSetConcerning(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ values: SetterValues
  ) -> SetterChange {
    let changes = ThreadChanges.current
    let isCovered =
      changes.isCovered(address: ObjectTable.address(of: subject), key: key)
      || storage.keys.isManual(key)
    let isRecorded = !isCovered && storage.isRecorded
    let id = isRecorded ? changes.nextChange() : nil
    var old: [OldValue] = []
    if !isCovered {
      let change = Change(subject: storage.record.ref, key: key, id: id)
      let links = storage.published.mayConcernBefore(key) ? Self.links(to: key, of: storage) : []
      old = oldValues(links, subject, .whole, setter: values)
      if isRecorded {
        announce(change, storage.beginChange(), in: storage)
      }
      notifyBefore(links, subject, change, .whole, old, setter: values)
    }
    return SetterChange(
      setters: changes.setters,
      number: id?.rawValue ?? 0,
      isRecorded: isRecorded,
      isCovered: isCovered,
      oldValues: old
    )
  }

  /// The end of the change in the log, before any observer is notified.
  @inline(__always)
  static func endSetting(_ setting: SetterChange, key: StringID, of storage: SubjectStorage) {
    guard setting.isRecorded else { return }
    let id = ChangeID(setting.number)
    let word = storage.endChange()
    let subject = storage.record.ref
    let isInnermost = setting.setters.leave(id)
    if isInnermost, word.isNoneOpen {
      Recorder.shared.recordSetting(of: key, subject, id, isEnd: true, order: word.order)
    } else {
      let change = Change(subject: subject, key: key, id: id)
      judgeEnd(of: change, word, in: storage, hasLeft: isInnermost)
    }
  }

  // `hasLeft`: whether the change was the setters' innermost, so that nothing is to be judged.
  @inline(never)
  private static func judgeEnd(
    of change: Change,
    _ word: OrderWord,
    in storage: SubjectStorage,
    hasLeft: Bool
  ) {
    let changes = ThreadChanges.current
    let isInOrder = hasLeft || changes.isInnermost(change)
    let here = changes.openCount(of: change.subject.id) - (hasLeft ? 0 : 1)
    let isOverlap = !word.isNoneOpen && storage.noteOverlap(ended: word, here: here)
    // A change that ends out of order carries its stack, whether or not anything records.
    let stack: StackID =
      !isInOrder || isOverlap && storage.isRecorded
      ? Recorder.shared.captureStack() : .none
    Recorder.shared.record(change, isEnd: true, order: word.order, stack: stack)
    if hasLeft { return }
    let evidence = Evidence(stack: stack, order: word.order)
    LiveMonitor.shared.report(changes.judgeEnd(of: change, at: evidence))
  }

  /// Notifies observers of the change.
  static func didSet(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ setting: SetterChange,
    _ values: SetterValues,
    _ refresh: () -> Void
  ) {
    let change = Change(subject: storage.record.ref, key: key, id: setting.id)
    let links = Self.links(to: key, of: storage)
    notifyAfter(links, subject, change, .whole, setting.oldValues, setter: values, refresh)
  }

  /// Handles a change entirely if no observer had to be notified before it.
  static func didSetUnrecorded(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ values: SetterValues,
    _ refresh: () -> Void
  ) {
    let links = Self.links(to: key, of: storage)
    // The change was not recorded: nothing records, or the log has no space, and one delivery is counted as lost.
    if links.count > 1, storage.isRecorded {
      _ = Recorder.shared.loses(2 * (links.count - 1))
    }
    let isNotified = links.withUnsafeBufferPointer { links in
      if links.count == 1, !links[0].isIntermediate {
        // The list keeps it alive.
        Unmanaged.passUnretained(links[0].observation)._withUnsafeGuaranteedRef {
          notifyOnly($0, isDirect: links[0].isDirect, subject, values)
        }
        return true
      }
      guard links.allSatisfy({ $0.number == 0 && $0.isDirect && !$0.isIntermediate }) else {
        return false
      }
      // The list keeps the observations alive: no reference to each of them has to be counted.
      for index in links.indices {
        Unmanaged.passUnretained(links[index].observation)._withUnsafeGuaranteedRef {
          if index > 0, $0.wantsNew { refresh() }
          storage.notify($0, subject, values)
        }
      }
      return true
    }
    if isNotified { return }
    let change = Change(subject: storage.record.ref, key: key, id: nil)
    notifyAfter(links, subject, change, .whole, [], setter: values, refresh)
  }

  /// The same if one observation listens, which is of another object or of a key that this one affects.
  ///
  /// Two calls, so that an object which the caller keeps alive is not retained once more.
  private static func notifyOnly(
    _ observation: Observation,
    isDirect: Bool,
    _ subject: AnyObject,
    _ values: SetterValues
  ) {
    if observation.root.record.address == ObjectTable.address(of: subject) {
      notifyOnly(observation, of: subject, isDirect: isDirect, values)
    } else if let root = observation.root.record.object {
      notifyOnly(observation, of: root, isDirect: isDirect, values)
    }
  }

  @inline(never)
  private static func notifyOnly(
    _ observation: Observation,
    of root: AnyObject,
    isDirect: Bool,
    _ values: SetterValues
  ) {
    if !isDirect {
      observation.notifyOfReading(root, .after, of: nil)
    } else if observation.root.isRecorded {
      observation.notify(root, .after, of: nil, values)
    } else {
      observation.root.notify(observation, root, values)
    }
  }

  /// Records the first half of a setter's change, and announces it.
  @inline(never)
  private static func announce(_ change: Change, _ word: OrderWord, in storage: SubjectStorage) {
    let evidence = recordBeginning(of: change, word, in: storage)
    ThreadChanges.current.announce(change, at: evidence)
  }
}
