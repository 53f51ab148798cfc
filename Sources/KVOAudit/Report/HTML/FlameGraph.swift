/// Registrations by the calls that led to them, as a tree in which a call is as wide as what it led to.
struct FlameGraph {
  /// How many calls are drawn at the most; what is narrower than the others is left out, and counted.
  static let nodeLimit = 600
  static let depthLimit = 48
  /// The narrowest call that is drawn, as a share of all.
  static let leastShare = 0.002

  struct Node: Hashable {
    var call: CallSites.Call
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

  init(_ sites: CallSites) {
    madeCount = sites.madeCount
    liveCount = sites.liveCount
    var root = Builder()
    for row in sites.rows {
      var calls = row.calls.prefix(Self.depthLimit - 1).map { Builder.Key(call: Self.merged($0)) }
      if calls.isEmpty { calls = [Builder.Key(call: .init(name: "(no stack recorded)"))] }
      calls.append(Builder.Key(call: .init(name: row.observed), isObserved: true))
      root.add(calls[...], row)
    }
    var budget = Self.nodeLimit
    let least = Int((Double(sites.madeCount) * Self.leastShare).rounded(.up))
    roots = root.nodes(of: max(1, sites.madeCount), least: max(1, least), &budget)
    omittedCount = sites.madeCount - roots.reduce(0) { $0 + $1.madeCount }
  }
}

extension FlameGraph {
  /// The call as the tree knows it: a function is one, whichever of its lines made the next call; only
  /// the line that registers is told apart.
  private static func merged(_ call: CallSites.Call) -> CallSites.Call {
    guard !call.isFirstOwn, let colon = call.place.lastIndex(of: ":") else { return call }
    var copy = call
    copy.place = String(call.place[..<colon])
    return copy
  }
}

/// The tree while rows are put into it.
private struct Builder {
  struct Key: Hashable {
    var call: CallSites.Call
    var isObserved = false
  }

  private var madeCount = 0
  private var liveCount = 0
  private var places: [Key: Int] = [:]
  private var keys: [Key] = []
  private var children: [Builder] = []

  mutating func add(_ calls: ArraySlice<Key>, _ row: CallSites.Row) {
    madeCount += row.madeCount
    liveCount += row.liveCount
    guard let first = calls.first else { return }
    if places[first] == nil {
      places[first] = children.count
      keys.append(first)
      children.append(Builder())
    }
    children[places[first, default: 0]].add(calls.dropFirst(), row)
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
