import KVORules
import KVOTrace

/// The key dependencies that classes declare, and their cycles (KVO028).
///
/// The nearest declaration of a key counts, from a class up through its superclasses. A key that is affected by a path
/// depends on the first key of it; the others belong to objects that a log need not name. Memory is bounded by the
/// classes and their keys.
struct KeyDependencies: Sendable {
  private struct Declaration: Sendable {
    var className: StringID
    var affectedBy: [AffectingPath]
    var declared: Evidence
  }

  /// A cycle of keys, each affected by the next.
  struct Cycle: Sendable {
    var className: StringID
    var keys: [StringID]
    /// Where the keys were declared, the last first.
    var declared: [Evidence]
  }

  private static let longestLine = 64

  private var declarations: [StringID: [StringID: Declaration]] = [:]
  private var superclasses: [StringID: StringID] = [:]
  /// The keys that each key of a class affects, as far as it was requested.
  private var affected: [StringID: [StringID: Set<StringID>]] = [:]

  var isEmpty: Bool { declarations.isEmpty }

  /// Adds a declaration of a class; a later declaration of the same key replaces an earlier one.
  mutating func declare(_ key: KeyDeclaration, at evidence: Evidence) {
    declarations[key.className, default: [:]][key.key] = Declaration(
      className: key.className,
      affectedBy: key.affectedBy,
      declared: evidence
    )
    if key.superclass != .none { superclasses[key.className] = key.superclass }
    affected = [:]
  }

  /// The keys of `className` that change when `key` does, excluding `key`.
  ///
  /// Complexity: O(1), and O(keys²) the first time after a declaration.
  mutating func dependents(of key: StringID, in className: StringID) -> Set<StringID> {
    if declarations.isEmpty { return [] }
    if let known = affected[className] { return known[key] ?? [] }
    var direct: [StringID: Set<StringID>] = [:]
    for (key, declaration) in effective(className) {
      for path in declaration.affectedBy {
        if let source = path.keys.first { direct[source, default: []].insert(key) }
      }
    }
    var all: [StringID: Set<StringID>] = [:]
    for source in direct.keys {
      var found: Set<StringID> = []
      var open = [source]
      while let next = open.popLast() {
        for key in direct[next] ?? [] where key != source && found.insert(key).inserted {
          open.append(key)
        }
      }
      all[source] = found
    }
    affected[className] = all
    return all[key] ?? []
  }

  /// The keys of `className` that affect `key`, excluding `key`.
  ///
  /// Complexity: O(keys).
  mutating func sources(of key: StringID, in className: StringID) -> Set<StringID> {
    if declarations.isEmpty { return [] }
    _ = dependents(of: key, in: className)
    return Set((affected[className] ?? [:]).filter { $0.value.contains(key) }.keys)
  }

  /// The keys of other objects that may affect `key` of `className`: those further along the paths that it depends on,
  /// and what those depend on in any class, as the classes of the other objects are unknown.
  ///
  /// Complexity: O(declarations · keys).
  mutating func remoteSources(of key: StringID, in className: StringID) -> Set<StringID> {
    if declarations.isEmpty { return [] }
    let own = sources(of: key, in: className).union([key])
    let effective = effective(className)
    var open = own.flatMap { effective[$0]?.affectedBy ?? [] }.flatMap { $0.keys.dropFirst() }
    var found: Set<StringID> = []
    while let next = open.popLast() {
      guard found.insert(next).inserted else { continue }
      for declarations in declarations.values {
        open += (declarations[next]?.affectedBy ?? []).flatMap(\.keys)
      }
    }
    return found
  }

  /// The keys of `className` that affect a key which `key` affects too, excluding `key`.
  ///
  /// Complexity: O(keys²).
  mutating func related(to key: StringID, in className: StringID) -> Set<StringID> {
    if declarations.isEmpty { return [] }
    let touched = dependents(of: key, in: className).union([key])
    let others = (affected[className] ?? [:]).filter { !$0.value.isDisjoint(with: touched) }
    return touched.union(others.keys).subtracting([key])
  }

  /// The cycles of all classes; a cycle within a superclass is reported there.
  ///
  /// A key that depends on a key path is affected by the first key of the path. A key may depend on a path through its
  /// own value: `owner` on `owner.name`.
  ///
  /// Complexity: O(classes · keys log keys).
  ///
  /// - Returns: the cycles, in the order of their declarations.
  func cycles() -> [Cycle] {
    declarations.keys.flatMap { cycles(of: $0) }.sorted {
      ($0.declared.first?.event ?? 0, $0.className.rawValue)
        < ($1.declared.first?.event ?? 0, $1.className.rawValue)
    }
  }

  private func cycles(of className: StringID) -> [Cycle] {
    let effective = effective(className)
    let keys = effective.keys.sorted { $0.rawValue < $1.rawValue }
    let indices = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    var graph = DirectedGraph(nodeCount: keys.count)
    for (index, key) in keys.enumerated() {
      for path in effective[key]?.affectedBy ?? [] {
        guard let source = path.keys.first.flatMap({ indices[$0] }),
          path.keys.count == 1 || source != index
        else { continue }
        graph.connect(index, source)
      }
    }
    return graph.cyclicComponents().compactMap { component in
      let own = component.first { effective[keys[$0]]?.className == className }
      guard let own, let cycle = graph.shortestCycle(through: own) else { return nil }
      let names = cycle.map { keys[$0] }
      let declared = names.compactMap { effective[$0]?.declared }
      return Cycle(
        className: className,
        keys: names,
        declared: declared.sorted { $0.event > $1.event }
      )
    }
  }

  /// The nearest declaration of each key of `className` and its superclasses.
  private func effective(_ className: StringID) -> [StringID: Declaration] {
    var result = declarations[className] ?? [:]
    var at = className
    // A log may claim that two classes inherit from each other.
    for _ in 0..<Self.longestLine {
      guard let next = superclasses[at], next != className else { break }
      result.merge(declarations[next] ?? [:]) { nearest, _ in nearest }
      at = next
    }
    return result
  }
}
