internal import KVORecorder
internal import KVOTrace
internal import Synchronization

// Adds and removes the links: on the thread that rebuilds, or on the one that ended the observation if none does.
extension WatchTree {
  /// Listens at all nodes of `wanted` but the first, and nowhere else.
  func move(_ observation: Observation, to wanted: FoundNodes) {
    // No other thread changes it at the same time.
    let (hung, nodes) = state.withLock { ($0.hung.all, $0.nodes) }
    var kept: [Int32: WatchNode] = [:]
    for hung in hung {
      let node = nodes[hung.number] ?? plainNode(of: hung, observation)
      // The address of an object that was deallocated may have been reused by another, while a token still keeps the
      // registrations of the first.
      guard let wanted = wanted.further(at: node),
        wanted.storage(observation) === hung.storage
      else { continue }
      kept[hung.number] = node
    }
    detach(observation) { kept[$0.number] == nil }
    guard wanted.nodes.count > kept.count + 1 else { return }
    let known = FoundNodes.isFew(kept.count) ? [] : Set(kept.values)
    for wanted in wanted.nodes.dropFirst() {
      let isHung =
        known.isEmpty
        ? kept.values.contains { $0 == wanted.node } : known.contains(wanted.node)
      guard !isHung, let key = wanted.keys(observation).key(wanted.node.key) else { continue }
      hang(
        observation,
        wanted.node,
        key,
        on: wanted.storage(observation),
        depth: wanted.depth,
        isWeak: wanted.isWeak,
        isEnd: wanted.node.isOwnPath && wanted.node.path.count == 1,
        isIntermediate: wanted.node.isIntermediate
      )
    }
  }

  /// The node of a link that was found without a search, as a search finds it.
  private func plainNode(of hung: HungLink, _ observation: Observation) -> WatchNode {
    WatchNode(
      address: hung.storage.record.address,
      path: observation.path.dropFirst(hung.depth ?? 0),
      isOwnPath: true,
      leadsOn: false
    )
  }

  /// Listens along the observation's path, and nowhere else, if that needs no search.
  ///
  /// - Returns: the end of the path; nil: its nodes have to be searched.
  func moveAlongChain(_ observation: Observation, from subject: AnyObject) -> PathEnd? {
    guard !observation.isStream, !observation.isSingle else { return nil }
    let path = observation.path
    guard let first = observation.root.keys.key(path[0]), first.isAlone else { return nil }
    return withUnsafeTemporaryAllocation(of: PlainNode.self, capacity: path.count - 1) { nodes in
      var chain = PlainChain(in: nodes)
      defer { chain.release() }
      guard chain.follow(path, first, of: subject) else { return nil }
      detach(observation) { hung in
        guard let depth = hung.depth, depth <= chain.count, chain[depth - 1].fits(hung)
        else { return true }
        chain[depth - 1].isHung = true
        return false
      }
      for index in 0..<chain.count where !chain[index].isHung {
        let depth = index + 1
        chain[index].with { storage, key in
          hang(
            observation,
            nil,
            key,
            on: storage,
            depth: depth,
            isWeak: chain[index].isWeak,
            isEnd: depth == path.count - 1,
            isIntermediate: depth < path.count - 1
          )
        }
      }
      return chain.takeEnd()
    }
  }

  /// Removes the links that are `gone` from their objects.
  ///
  /// `isGone` is called with the lock held.
  func detach(_ observation: Observation, _ isGone: (HungLink) -> Bool) {
    let gone = state.withLock { state in
      let gone = state.hung.extract(isGone)
      if !state.nodes.isEmpty { gone.forEach { state.nodes[$0.number] = nil } }
      return gone
    }
    guard !gone.isEmpty else { return }
    Self.moves.wrappingAdd(1, ordering: .relaxed)
    gone.forEach { hung in
      let isHanging = hung.storage.detach(observation.id, number: hung.number, key: hung.key)
      if isHanging, let depth = hung.depth {
        let object = hung.storage.record.ref
        record(Event.Body.detach, observation, depth, hung.key, object, hung.isWeak)
      }
    }
  }

  /// Records that the path left the objects that only looking them up had kept, such as those that a getter makes at
  /// each call: they are deallocated already, and no property lost them.
  func noteUnkept(_ observation: Observation) {
    for hung in state.withLock({ $0.hung.all }) where !hung.isWeak {
      let record = hung.storage.record
      guard let depth = hung.depth, !record.isAlive else { continue }
      self.record(Event.Body.detach, observation, depth, hung.key, record.ref, hung.isWeak)
    }
  }

  /// Awaits the deallocation of `object` only, no longer of the previous one.
  func follow(_ object: AnyObject?, for observation: Observation) {
    let record = object.map { ObjectTable.shared.watchedRecord(of: $0) }
    let previous = state.withLock { state in
      defer { state.end = record }
      return state.end
    }
    guard previous !== record else { return }
    previous?.removeFollower(observation.id)
    record?.addFollower(observation.id, in: observation.root)
  }

  /// Adds a link to an object.
  ///
  /// `searched` is its node if a search found it; `isEnd` says whether it is the end of the observation's own path.
  private func hang(
    _ observation: Observation,
    _ searched: WatchNode?,
    _ key: ResolvedKey,
    on storage: SubjectStorage,
    depth: Int?,
    isWeak: Bool,
    isEnd: Bool,
    isIntermediate: Bool
  ) {
    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let link = ObservationLink(
      observation: observation,
      number: number,
      key: key.id,
      isDirect: isEnd && !key.isReadByGetter,
      isIntermediate: isIntermediate
    )
    guard storage.attach(link) else { return }
    if let depth {
      record(Event.Body.attach, observation, depth, key.id, storage.record.ref, isWeak)
    }
    let hung = HungLink(
      storage: storage,
      key: key.id,
      number: number,
      depth: depth,
      isWeak: isWeak,
      isIntermediate: isIntermediate
    )
    state.withLock { state in
      state.hung.append(hung)
      if let searched { state.nodes[number] = searched }
    }
  }

  private func record(
    _ body: (Attachment) -> Event.Body,
    _ observation: Observation,
    _ depth: Int,
    _ key: StringID,
    _ object: ObjectRef,
    _ isWeak: Bool
  ) {
    guard observation.root.isRecorded else { return }
    let attachment = Attachment(
      registration: observation.id,
      depth: depth,
      key: key,
      object: object,
      strength: isWeak ? .weak : .strong
    )
    Recorder.shared.record(body(attachment), of: observation.root.record.ref.id)
  }
}
