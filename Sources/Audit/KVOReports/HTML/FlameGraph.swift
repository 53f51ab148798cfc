import KVOAudit
import KVORules
import KVOTrace

/// Registrations by the calls that led to them, as a tree in which the width of a call is the number of its
/// registrations.
struct FlameGraph {
  /// How many calls are drawn at the most; narrower ones are omitted, and counted.
  static let nodeLimit = 600
  static let depthLimit = 48
  /// The narrowest call that is drawn, as a share of all.
  static let leastShare = 0.002

  /// How many call sites are drawn; rarer ones are only counted.
  static let siteLimit = 512

  struct Call: Hashable {
    var name: String
    /// File and line, or nothing.
    var location = ""
    /// Whether it is the innermost call of the user's own code.
    var isFirstOwn = false
  }

  struct Node: Hashable {
    var call: Call
    /// Whether this is the observed key path, not a call.
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
  /// Registrations in calls that are not drawn.
  let omittedCount: Int

  /// - Parameter sites: the call sites that register, the commonest first.
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
  /// The calls that lead to a call site, outermost first.
  static func calls(to site: CallSite) -> [Call] {
    let frames = site.stack.frames
    if frames.isEmpty {
      return [
        site.stack.site.map {
          Call(name: site.stack.function ?? "(call)", location: $0, isFirstOwn: true)
        }
          ?? Call(name: "(no stack recorded)")
      ]
    }
    return frames.reversed().map { frame in
      Call(
        name: frame.name ?? "?",
        location: FindingText.location(of: frame),
        isFirstOwn: frame.isFirstOwn
      )
    }
  }

  /// The call as a node of the tree: a function is one, whichever of its lines made the next call; only the line that
  /// registers is distinguished.
  private static func merged(_ call: Call) -> Call {
    if call.isFirstOwn { return call }
    var copy = call
    copy.location = String(SourceSite(location: call.location).file)
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
  private var indices: [Key: Int] = [:]
  private var keys: [Key] = []
  private var children: [Builder] = []

  mutating func add(_ calls: ArraySlice<Key>, _ count: CallSiteCount) {
    // Registrations from before the log began count too.
    madeCount += max(count.madeCount, count.liveCount)
    liveCount += count.liveCount
    guard let first = calls.first else { return }
    if indices[first] == nil {
      indices[first] = children.count
      keys.append(first)
      children.append(Builder())
    }
    children[indices[first, default: 0]].add(calls.dropFirst(), count)
  }

  /// The children as nodes of a parent with `whole` registrations, and theirs.
  func nodes(of whole: Int, least: Int, _ budget: inout Int) -> [FlameGraph.Node] {
    let order = children.indices
      .filter { children[$0].madeCount >= least }
      .sorted { (children[$1].madeCount, $0) < (children[$0].madeCount, $1) }
      .prefix(budget)
    budget -= order.count
    var nodes: [FlameGraph.Node] = []
    for index in order {
      let child = children[index]
      nodes.append(
        FlameGraph.Node(
          call: keys[index].call,
          isObserved: keys[index].isObserved,
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
