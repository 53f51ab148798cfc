internal import KVORecorder
internal import KVOTrace

extension ObservationController: CustomDebugStringConvertible {
  /// The owner, and which objects it has observed since which line.
  ///
  /// ```
  /// ObservationController of Screen#3, keeps 1 object alive
  ///   Account#12 "balance" (new, initial), since Screen.swift:41
  /// ```
  public var debugDescription: String {
    let known = entries.withLock { $0.all }
    let names = Recorder.shared.names
    func text(_ object: ObjectRef) -> String {
      "\(names[object.className])#\(names.text(of: object.id))"
    }
    let owner =
      owner.map { text(ObjectTable.shared.record(of: $0).ref) } ?? "a deallocated \(Owner.self)"
    let lines = known.compactMap { entry -> String? in
      let registrations = entry.storage.registrations
      guard let registration = registrations.first(where: { $0.id == entry.id }) else { return nil }
      let options = Registration.Options.named.filter { registration.options.contains($0.option) }
      let list = options.isEmpty ? "" : " (\(options.map(\.name).joined(separator: ", ")))"
      return "\n  \(text(registration.subject)) \"\(entry.keyPath)\"\(list),"
        + " since \(names.site(registration.site)?.location ?? "")"
    }
    let kept = Set(known.compactMap { $0.object.map { ObjectIdentifier($0) } }).count
    let keeps = kept == 0 ? "" : ", keeps \(kept) \(kept == 1 ? "object" : "objects") alive"
    return "ObservationController of \(owner)\(keeps)\(lines.joined())"
  }
}
