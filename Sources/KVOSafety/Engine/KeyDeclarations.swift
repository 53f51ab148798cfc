internal import KVORecorder
internal import KVOTrace

/// Class declarations of keys that depend on others, for the log (`declares`).
enum KeyDeclarations {
  /// Records the dependencies of `key` in the class of `subject`, and transitively those of the keys that it depends
  /// on, with the first keys of paths.
  ///
  /// At every registration, because a log may begin at any time and drops its oldest part.
  static func record(_ key: ResolvedKey, of subject: any KeyValueObservable) {
    guard Recorder.shared.isRecording else { return }
    let type = type(of: subject)
    let keys = type.observableKeys
    var queue = [key]
    var known: Set<StringID> = [key.id]
    while let next = queue.popLast() {
      guard !next.affectedBy.isEmpty || next.isManual else { continue }
      Recorder.shared.record(.declares(declaration(of: next, by: type)))
      for path in next.affectingPaths {
        guard let affecting = path.keys.first.flatMap({ keys.key($0) }),
          known.insert(affecting.id).inserted
        else { continue }
        queue.append(affecting)
      }
    }
  }

  private static func declaration(of key: ResolvedKey, by type: AnyObject.Type) -> KeyDeclaration {
    KeyDeclaration(
      className: Recorder.id(of: _typeName(type, qualified: false)),
      superclass: _getSuperclass(type).map { Recorder.id(of: _typeName($0, qualified: false)) }
        ?? .none,
      key: key.id,
      affectedBy: key.affectingPaths,
      isManual: key.isManual
    )
  }
}
