package import KVORules
internal import KVOTrace

/// What the layer and the tests reach this room through.
package struct LiveRetainWalker: RetainWalker {
  private let search: RetainSearch

  package init(search: RetainSearch = RetainSearch()) { self.search = search }

  package func walk(from roots: [AnyObject], names: CodeNames?) -> RetainWalk {
    let answer = search.findCycles(from: roots, names: names)
    return RetainWalk(
      paths: (answer.cycles + answer.suspectedCycles).map { $0.edges.map(RetainWalk.Edge.init) },
      opaque: answer.opaque.map(RetainWalk.Opaque.init)
    )
  }

  package func walk(
    to object: AnyObject,
    from roots: [AnyObject],
    names: CodeNames?
  ) -> RetainWalk {
    let answer = search.findPath(to: object, from: roots, names: names)
    return RetainWalk(
      paths: answer.path.map { [$0.edges.map(RetainWalk.Edge.init)] } ?? [],
      opaque: answer.opaque.map(RetainWalk.Opaque.init)
    )
  }
}

extension RetainWalk.Edge {
  fileprivate init(_ edge: RetainEdge) {
    self.init(
      from: RetainWalk.Object(edge.from),
      label: edge.label,
      to: RetainWalk.Object(edge.to),
      certainty: edge.certainty == .proven ? .proven : .suspected,
      site: edge.site
    )
  }
}

extension RetainWalk.Object {
  fileprivate init(_ object: RetainedObject) {
    self.init(
      className: object.className,
      address: UInt64(object.address),
      kind: object.kind == .closure ? .closure : .object
    )
  }
}

extension RetainWalk.Opaque {
  fileprivate init(_ object: OpaqueObject) {
    self.init(
      className: object.className,
      label: object.label,
      reason: object.reason.explanation,
      count: object.count
    )
  }
}
