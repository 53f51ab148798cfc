import KVORules
import KVOTrace

/// Counts the registrations of one process by the stack that made them, in ids.
///
/// Memory is bounded by the distinct stacks, up to ``limit``; what comes after is only counted.
struct CallSiteTally {
  static let limit = 8_192

  private struct Key: Hashable {
    var stack: StackID
    var site: StringID
    var subject: StringID
    var keyPath: StringID
  }

  private var places: [Key: Int] = [:]
  private var counts: [(key: Key, madeCount: Int, liveCount: Int)] = []
  private var rest = CallSites.Rest()

  /// Counts what `event` registers, if it does.
  ///
  /// Complexity: O(1) on average.
  mutating func note(_ event: borrowing Event) {
    guard case .register(let registration) = event.body else { return }
    add(registration, stack: event.stack, madeCount: 1, liveCount: 0)
  }

  /// The process is over; `live` is what it left.
  ///
  /// - Parameters:
  ///   - live: the registrations and where each was made.
  ///   - builder: names what is live and where it was made.
  /// - Returns: the commonest, named, and the count of the others.
  mutating func finish(
    _ live: [(registration: Registration, registered: Evidence)],
    _ builder: FindingBuilder
  ) -> CallSites {
    for (registration, registered) in live {
      add(registration, stack: registered.stack, madeCount: 0, liveCount: 1)
    }
    // What was there before the log began was made, too.
    for place in counts.indices {
      counts[place].madeCount = max(counts[place].madeCount, counts[place].liveCount)
    }
    let order = counts.indices.sorted { (counts[$1].madeCount, $0) < (counts[$0].madeCount, $1) }
    let rows = order.prefix(CallSites.limit).map { place in
      let count = counts[place]
      return CallSites.Row(
        calls: calls(count.key, builder),
        observed: "\(builder.names[count.key.subject]).\(builder.names[count.key.keyPath])",
        madeCount: count.madeCount,
        liveCount: count.liveCount
      )
    }
    for place in order.dropFirst(CallSites.limit) {
      rest.madeCount += counts[place].madeCount
      rest.liveCount += counts[place].liveCount
    }
    return CallSites(rows: rows, rest: rest)
  }

  private mutating func add(
    _ registration: Registration,
    stack: StackID,
    madeCount: Int,
    liveCount: Int
  ) {
    let key = Key(
      stack: stack,
      site: registration.site,
      subject: registration.subject.className,
      keyPath: registration.keyPath
    )
    if let place = places[key] {
      counts[place].madeCount += madeCount
      counts[place].liveCount += liveCount
    } else if counts.count < Self.limit {
      places[key] = counts.count
      counts.append((key, madeCount, liveCount))
    } else {
      rest.madeCount += madeCount
      rest.liveCount += liveCount
    }
  }

  private func calls(_ key: Key, _ builder: FindingBuilder) -> [CallSites.Call] {
    let stack = builder.stack(
      Evidence(role: .registered, event: 0, stack: key.stack, site: key.site)
    )
    if stack.frames.isEmpty {
      return stack.site.map { [CallSites.Call(name: "(call)", place: $0, isFirstOwn: true)] } ?? []
    }
    return stack.frames.reversed().map { frame in
      CallSites.Call(
        name: frame.symbol ?? frame.address.map { "0x" + String($0, radix: 16) } ?? "?",
        place: FindingText.place(of: frame),
        isFirstOwn: frame.isFirstOwn
      )
    }
  }
}
