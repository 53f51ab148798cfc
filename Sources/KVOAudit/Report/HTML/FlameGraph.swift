import KVORules

/// Registrations by the calls that led to them, as a tree in which a call is as wide as what it led to.
struct FlameGraph {
  /// How many calls are drawn at the most; what is narrower than the others is left out, and counted.
  static let nodeLimit = 600
  static let depthLimit = 48
  /// The narrowest call that is drawn, as a share of all.
  static let leastShare = 0.002

  /// How many places are drawn; what is rarer is only counted.
  static let siteLimit = 512

  struct Call: Hashable {
    var name: String
    /// File and line, or nothing.
    var place = ""
    /// Whether it is the innermost call of the user's own code.
    var isFirstOwn = false
  }

  struct Node: Hashable {
    var call: Call
    /// Whether this is what is observed, and no call.
    var isObserved = false
    var madeCount = 0
    var liveCount = 0
    /// The share of the parent.
    var share = 1.0
    /// The widest first.
    var children: [Node] = []
  }

  /// The outermost calls.
  let roots: [Node]
  let madeCount: Int
  let liveCount: Int
  /// Registrations in what is not drawn.
  let omittedCount: Int

  /// - Parameter sites: the places that register, the commonest first.
  init(_ sites: [CallSiteCount]) {
    madeCount = sites.reduce(0) { $0 + max($1.madeCount, $1.liveCount) }
    liveCount = sites.reduce(0) { $0 + $1.liveCount }
    var root = Builder()
    for count in sites.prefix(Self.siteLimit) {
      let path = Self.calls(to: count.site).prefix(Self.depthLimit - 1)
      let observed = Call(name: "\(count.site.subject).\(count.site.keyPath)")
      let keys = path.map { Builder.Key(call: Self.merged($0)) }
      root.add((keys + [Builder.Key(call: observed, isObserved: true)])[...], count)
    }
    var budget = Self.nodeLimit
    let least = Int((Double(madeCount) * Self.leastShare).rounded(.up))
    roots = root.nodes(of: max(1, madeCount), least: max(1, least), &budget)
    omittedCount = madeCount - roots.reduce(0) { $0 + $1.madeCount }
  }
}

extension FlameGraph {
  /// The calls that lead to a place, outermost first.
  static func calls(to site: CallSite) -> [Call] {
    let frames = site.stack.frames
    if frames.isEmpty {
      return [
        site.stack.site.map {
          Call(name: site.stack.function ?? "(call)", place: $0, isFirstOwn: true)
        }
          ?? Call(name: "(no stack recorded)")
      ]
    }
    return frames.reversed().map { frame in
      Call(
        name: frame.name ?? "?",
        place: FindingText.place(of: frame),
        isFirstOwn: frame.isFirstOwn
      )
    }
  }

  /// The call as the tree knows it: a function is one, whichever of its lines made the next call; only
  /// the line that registers is told apart.
  private static func merged(_ call: Call) -> Call {
    guard !call.isFirstOwn, let colon = call.place.lastIndex(of: ":") else { return call }
    var copy = call
    copy.place = String(call.place[..<colon])
    return copy
  }
}

/// The tree while rows are put into it.
private struct Builder {
  struct Key: Hashable {
    var call: FlameGraph.Call
    var isObserved = false
  }

  private var madeCount = 0
  private var liveCount = 0
  private var places: [Key: Int] = [:]
  private var keys: [Key] = []
  private var children: [Builder] = []

  mutating func add(_ calls: ArraySlice<Key>, _ count: CallSiteCount) {
    // What was there before the log began was made, too.
    madeCount += max(count.madeCount, count.liveCount)
    liveCount += count.liveCount
    guard let first = calls.first else { return }
    if places[first] == nil {
      places[first] = children.count
      keys.append(first)
      children.append(Builder())
    }
    children[places[first, default: 0]].add(calls.dropFirst(), count)
  }

  /// The children as nodes of a parent with `whole` registrations, and theirs.
  func nodes(of whole: Int, least: Int, _ budget: inout Int) -> [FlameGraph.Node] {
    let order = children.indices
      .filter { children[$0].madeCount >= least }
      .sorted { (children[$1].madeCount, $0) < (children[$0].madeCount, $1) }
      .prefix(budget)
    budget -= order.count
    var nodes: [FlameGraph.Node] = []
    for place in order {
      let child = children[place]
      nodes.append(
        FlameGraph.Node(
          call: keys[place].call,
          isObserved: keys[place].isObserved,
          madeCount: child.madeCount,
          liveCount: child.liveCount,
          share: Double(child.madeCount) / Double(whole),
          children: child.nodes(of: child.madeCount, least: least, &budget)
        )
      )
    }
    return nodes
  }
}
