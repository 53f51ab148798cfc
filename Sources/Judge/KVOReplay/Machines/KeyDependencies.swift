import KVORules
import KVOTrace

/// The key dependencies that classes declare, and their cycles (KVO028).
///
/// The declarations of the nearest class that has any count for a key, from a class up through its superclasses: all of
/// them, as a line may state one dependency of several. A key that is affected by a path
/// depends on the first key of it; the others belong to objects that a log need not name. Memory is bounded by the
/// classes and their keys.
struct KeyDependencies: Sendable {
  private struct Declaration: Sendable {
    var className: StringID
    private(set) var affectedBy: [AffectingPath] = []
    /// Where each of the paths was declared last.
    private(set) var declared: [Evidence] = []
    private var indices: [AffectingPath: Int] = [:]

    init(className: StringID) { self.className = className }

    /// - Returns: whether the path is new.
    mutating func add(_ path: AffectingPath, at evidence: Evidence) -> Bool {
      if let index = indices[path] {
        declared[index] = evidence
        return false
      }
      indices[path] = affectedBy.count
      affectedBy.append(path)
      declared.append(evidence)
      return true
    }

    /// Where it was declared that `key` is affected by `source`.
    func evidence(of source: StringID, for key: StringID) -> Evidence? {
      let index = affectedBy.lastIndex {
        $0.keys.first == source && ($0.keys.count == 1 || source != key)
      }
      return index.map { declared[$0] }
    }
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

  /// Adds a declaration of a class to those that there are of the same key.
  ///
  /// Complexity: O(paths). A log may repeat a declaration at every registration.
  mutating func declare(_ key: KeyDeclaration, at evidence: Evidence) {
    var isNew = declarations[key.className]?[key.key] == nil
    if isNew {
      declarations[key.className, default: [:]][key.key] = Declaration(className: key.className)
    }
    for path in key.affectedBy
    where declarations[key.className]?[key.key]?.add(path, at: evidence) == true {
      isNew = true
    }
    if key.superclass != .none, key.superclass != key.className,
      superclasses[key.className] != key.superclass
    {
      superclasses[key.className] = key.superclass
      isNew = true
    }
    if isNew { affected = [:] }
  }

  /// The class `name` is `className`, of which a runtime made it for observing.
  ///
  /// Complexity: O(classes).
  mutating func rename(_ name: StringID, to className: StringID) {
    for (key, declaration) in declarations.removeValue(forKey: name) ?? [:] {
      var joined = declarations[className]?[key] ?? Declaration(className: className)
      for (path, evidence) in zip(declaration.affectedBy, declaration.declared) {
        _ = joined.add(path, at: evidence)
      }
      declarations[className, default: [:]][key] = joined
    }
    if let superclass = superclasses.removeValue(forKey: name), superclass != className {
      superclasses[className] = superclasses[className] ?? superclass
    }
    for (subclass, superclass) in superclasses where superclass == name {
      superclasses[subclass] = className
    }
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
      let declared = names.indices.compactMap { at in
        effective[names[at]]?.evidence(of: names[(at + 1) % names.count], for: names[at])
      }
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
