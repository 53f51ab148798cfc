import KVOReplay
import KVORules
import KVOTrace

/// Counts the registrations of one process by the call site that made them.
///
/// Memory is bounded by the distinct call sites. Costs a lookup for each registration.
struct CallSiteTally {
  private struct Key: Hashable {
    var stack: StackID
    var site: StringID
    var subject: StringID
    var observer: StringID?
    var keyPath: StringID

    init(_ registration: Registration, stack: StackID) {
      self.stack = stack
      site = registration.site
      subject = registration.subject.className
      observer = registration.observer?.className
      keyPath = registration.keyPath
    }
  }

  private var counts: [Key: (made: Int, live: Int)] = [:]

  /// Counts the registration that `event` adds.
  mutating func take(_ event: borrowing Event) {
    guard case .register(let registration) = event.body else { return }
    counts[Key(registration, stack: event.stack), default: (0, 0)].made += 1
  }

  /// Counts the live registrations at the end.
  mutating func finish(_ live: [(registration: Registration, registered: Evidence)]) {
    for (registration, registered) in live {
      counts[Key(registration, stack: registered.stack), default: (0, 0)].live += 1
    }
  }

  /// The counts with names for ids, in no particular order.
  func named(_ builder: FindingBuilder) -> [CallSiteCount] {
    counts.map { key, count in
      CallSiteCount(
        site: CallSite(
          subject: builder.names[key.subject],
          keyPath: builder.names[key.keyPath],
          observer: key.observer.map { builder.names[$0] },
          stack: builder.stack(
            Evidence(role: .registered, event: 0, stack: key.stack, site: key.site)
          )
        ),
        madeCount: count.made,
        liveCount: count.live
      )
    }
  }
}

/// The counts of several processes, with call sites that look alike added up.
struct CallSiteSums {
  private var indices: [CallSite: Int] = [:]
  private var counts: [CallSiteCount] = []

  mutating func add(_ others: [CallSiteCount]) {
    for other in others {
      if let index = indices[other.site] {
        counts[index].madeCount += other.madeCount
        counts[index].liveCount += other.liveCount
      } else {
        indices[other.site] = counts.count
        counts.append(other)
      }
    }
  }

  /// In the order of ``CallSiteCount/isBefore(_:_:)``.
  var sorted: [CallSiteCount] { counts.sorted(by: CallSiteCount.isBefore) }
}

extension ScopeGrowthRow {
  /// The `leftovers` of a process, with names for ids.
  init(_ leftovers: ScopeLeftovers, _ builder: FindingBuilder) {
    let registration = leftovers.registration
    self.init(
      input: 0,
      scope: builder.names[leftovers.scope],
      runCount: leftovers.runCount,
      site: CallSite(
        subject: builder.names[registration.subject.className],
        keyPath: builder.names[registration.keyPath],
        observer: registration.observer.map { builder.names[$0.className] },
        stack: builder.stack(leftovers.registered)
      ),
      points: leftovers.series.points,
      isGrowing: leftovers.isGrowing
    )
  }
}
